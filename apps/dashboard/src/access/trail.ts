import type { AuditEntry } from '@memrelay/protocol/audit-log';

/** One memory, as the audit log names it. */
export interface Traced {
  id: string;
  /** Namespace tag, 32 hex digits */
  tag: string;
  /** Unix time in ms; undefined: not known */
  storedAt: number | undefined;
}

/** The entries about a memory since it was stored: its namespace, everyone who may read, and the account. Newest first. */
export function trailOf(entries: readonly AuditEntry[], { id, tag, storedAt = 0 }: Traced): AuditEntry[] {
  const concerns = ({ action, at, detail = {} }: AuditEntry): boolean => {
    const [subject] = action.split('.');
    if (action === 'memories.forgotten') return namesId(detail.ids, id);
    if (Date.parse(at) < storedAt) return false;
    if (subject === 'memories') return detail.tag === tag || namesId(detail.tags, tag);
    if (subject === 'account') return true;
    if (subject !== 'delegate') return false;
    return detail.tags === undefined || detail.all_namespaces === true || namesId(detail.tags, tag);
  };
  return entries.filter(concerns).toReversed();
}

/** When the memory was forgotten, RFC 3339. An entry names at most 20 of the memories that it is about. */
export function forgottenAt(entries: readonly AuditEntry[], id: string): string | undefined {
  return entries.findLast(({ action, detail }) => action === 'memories.forgotten' && namesId(detail?.ids, id))
    ?.at;
}

function namesId(list: unknown, id: string): boolean {
  return Array.isArray(list) && list.includes(id);
}

/** Public keys (64 hex digits) of delegates by their address, of all that the log mentions. */
export function keysByAddress(entries: readonly AuditEntry[]): Map<string, string> {
  return new Map(
    entries.flatMap(({ detail }) =>
      typeof detail?.address === 'string' && typeof detail.public_key === 'string'
        ? [[detail.address, detail.public_key] as const]
        : [],
    ),
  );
}
