import { permissions, type Scope } from '@memrelay/chain/account-bcs';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { newNamespaceField } from '@memrelay/protocol/fields';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { counted } from '../terminal/plain-text.ts';

/** Command options for the scope of a delegate. */
export interface ScopeOptions {
  /** `read,write,forget`; default: all */
  can?: string;
  /** Names of namespaces; default: all */
  in?: string[];
  /** `30d`, `12h` or a date; default: never */
  expires?: string;
}

const hourMs = 3_600_000;

/**
 * Returns the scope, undefined if the options limit nothing. Throws `ExitError` for an invalid permission, duration or
 * date.
 */
export function scopeOf(options: ScopeOptions, origin: string, nowMs = Date.now()): Scope | undefined {
  if (!options.can && !options.in?.length && !options.expires) return undefined;
  const bytes = Buffer.from(origin.slice(2), 'hex');
  return {
    perms: permissionsOf(options.can),
    all_namespaces: !options.in?.length,
    tags: (options.in ?? []).map((name) => namespaceTag(nodePrimitives, bytes, namespaceOf(name))),
    min_epoch: 0n,
    expires_at_ms: options.expires ? BigInt(expiryOf(options.expires, nowMs)) : 0n,
  };
}

function namespaceOf(name: string): string {
  const read = newNamespaceField.safeParse(name);
  if (read.success) return read.data;
  throw new ExitError(exitCodes.usage, `--in: the namespace ${read.error.issues[0]!.message}.`);
}

function permissionsOf(text: string | undefined): number {
  if (text === undefined) return permissions.all;
  const names = text.split(',').map((name) => name.trim());
  const known = ['read', 'write', 'forget'] as const;
  const wrong = names.find((name) => !(known as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new ExitError(exitCodes.usage, `--can takes read, write and forget, not "${wrong}".`);
  return known.reduce((sum, name) => sum + (names.includes(name) ? permissions[name] : 0), 0);
}

function expiryOf(text: string, nowMs: number): number {
  const span = /^([1-9]\d{0,4})([hd])$/.exec(text);
  const at = span ? nowMs + Number(span[1]) * (span[2] === 'h' ? hourMs : 24 * hourMs) : Date.parse(text);
  if (Number.isNaN(at) || at <= nowMs)
    throw new ExitError(
      exitCodes.usage,
      '--expires takes a time in the future: 12h, 30d or a date such as 2030-01-31.',
    );
  return at;
}

/** `read, write in 2 namespaces, until 2030-01-31 00:00` */
export function describeScope(scope: Scope | undefined): string {
  if (!scope) return 'everything, in all namespaces, without an end';
  const names = (['read', 'write', 'forget'] as const).filter(
    (name) => (scope.perms & permissions[name]) !== 0,
  );
  const where = scope.all_namespaces
    ? 'all namespaces'
    : counted(scope.tags.length, 'namespace', 'namespaces');
  return `${names.join(', ') || 'nothing'} in ${where}, ${endOf(scope.expires_at_ms)}`;
}

/** The chain accepts expiry times beyond any calendar date; those count as no expiry. */
function endOf(expiresAtMs: bigint): string {
  const at = new Date(Number(expiresAtMs));
  if (expiresAtMs === 0n || Number.isNaN(at.getTime())) return 'without an end';
  return `until ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
