import { type Host, type HostValue, serverName } from './host.ts';

/** The configuration of a host with only this entry, for a person to copy. */
export function hostSnippet(host: Host, entry: Readonly<Record<string, HostValue>>): string {
  const path = [...host.servers, serverName];
  if (host.format === 'toml') return tomlTable(path, entry);
  if (host.format === 'yaml') return yamlBlock(path, entry);
  return JSON.stringify(
    path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry),
    null,
    2,
  );
}

function tomlTable(path: readonly string[], entry: Readonly<Record<string, HostValue>>): string {
  return [
    `[${path.join('.')}]`,
    ...Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`),
  ].join('\n');
}

/** JSON strings, numbers and truth values are TOML. */
function tomlValue(value: HostValue): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, text]) => `${key} = ${JSON.stringify(text)}`);
  return `{ ${pairs.join(', ')} }`;
}

function yamlBlock(path: readonly string[], entry: Readonly<Record<string, HostValue>>): string {
  const head = path.map((key, depth) => `${'  '.repeat(depth)}${key}:`);
  const indent = '  '.repeat(path.length);
  const lines = Object.entries(entry).flatMap(([key, value]) => {
    if (Array.isArray(value))
      return [`${indent}${key}:`, ...value.map((each) => `${indent}  - ${yamlScalar(String(each))}`)];
    if (typeof value === 'object')
      return [
        `${indent}${key}:`,
        ...Object.entries(value).map(([name, text]) => `${indent}  ${name}: ${yamlScalar(String(text))}`),
      ];
    return [`${indent}${key}: ${typeof value === 'string' ? yamlScalar(value) : String(value)}`];
  });
  return [...head, ...lines].join('\n');
}

/** Plain if that is certain to be read as the same text, else quoted as in JSON, which YAML accepts. */
function yamlScalar(text: string): string {
  const isPlain = /^(?:-{1,2}[a-z]|[A-Za-z/])(?:[\w ./@=-]|:(?=[\w/]))*$/.test(text);
  return isPlain && !/ $|^(?:true|false|yes|no|on|off|null)$/i.test(text) ? text : JSON.stringify(text);
}
