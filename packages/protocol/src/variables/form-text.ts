import type { VariableForm } from './declaration.ts';

/** What a value must look like, in a few words of Markdown, for the documentation and `--help`. */
export function formText(form: VariableForm): string {
  switch (form.kind) {
    case 'integer':
      return `${form.min} to ${form.max}`;
    case 'integer-or-off':
      return `${form.min} to ${form.max}, or \`off\``;
    case 'limit':
      return `from ${form.min}, or \`off\``;
    case 'choice':
      return form.values.map((value) => `\`${value}\``).join(', ');
    case 'text':
      return form.maxLength === undefined ? 'text' : `text, up to ${form.maxLength} characters`;
    case 'secret':
      return form.minLength > 1 ? `secret, from ${form.minLength} characters` : 'secret';
    default:
      return plainTexts[form.kind];
  }
}

type PlainKind = Exclude<
  VariableForm['kind'],
  'integer' | 'integer-or-off' | 'limit' | 'choice' | 'text' | 'secret'
>;

const plainTexts: Readonly<Record<PlainKind, string>> = {
  'check-values': 'values of 32 hex digits',
  'database-url': '`postgres://…` or `pglite:…`',
  flag: '`true` or `false`',
  'hex-key': '64 hex digits',
  'hex-keys': '64 hex digits each',
  'host-names': 'names or addresses',
  'key-server-sets': 'JSON',
  'key-servers': 'JSON',
  'listen-host': 'name or address',
  'log-filter': 'filter',
  'object-id': '0x and 64 hex digits',
  'object-ids': '0x and 64 hex digits each',
  origin: 'origin',
  origins: 'origins',
  'private-key': 'Ed25519 key',
  'private-keys': 'Ed25519 keys',
  'public-url': 'URL',
  'redis-url': '`redis://…` or `rediss://…`',
  switch: '`on` or `off`',
  url: 'URL',
  urls: 'URLs',
};

/** The default as Markdown; empty if an unset variable has no effect. */
export function defaultText({
  default: value,
  shownDefault,
}: {
  default?: string;
  shownDefault?: string;
}): string {
  if (shownDefault !== undefined) return shownDefault;
  if (value === undefined) return '';
  return value === '' ? 'none' : `\`${value}\``;
}
