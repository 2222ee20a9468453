import type { AuditEntry } from '@memrelay/protocol/audit-log';
import { permissions } from '../scope/scope-choice.ts';
import type { AccountState } from '../wallet/wallet-api.ts';

/** What is read: memories of one namespace that are encrypted under one key epoch. */
export interface Readable {
  /** Namespace tag, 32 hex digits */
  tag: string;
  /** Undefined: any */
  keyEpoch: number | undefined;
  /** Unix time in ms; undefined: not known */
  storedAt: number | undefined;
}

/** A delegate key that can read it now. Times are Unix times in ms. */
export interface Reader {
  publicKey: string;
  label: string;
  /** Undefined: since it was stored */
  since: number | undefined;
  /** Undefined: until it is revoked */
  until: number | undefined;
}

/** A delegate key that could read it, and cannot any more. */
export interface FormerReader {
  publicKey: string;
  /** Undefined for a removed key: the log has no labels */
  label: string | undefined;
  until: number;
}

interface Grant {
  publicKey: string;
  mayRead: boolean;
  since: number;
  /** When the grant expires; 0 = never */
  end: number;
}

/** Who can read it, and who could since it was stored, from the account on chain and its audit log. */
export function readersOf(
  account: AccountState,
  entries: readonly AuditEntry[],
  readable: Readable,
  now: number,
): { readers: Reader[]; former: FormerReader[] } {
  const grants = new Map<string, Grant>();
  const former: FormerReader[] = [];
  const { storedAt = 0 } = readable;
  const lose = (address: string, at: number): void => {
    const grant = grants.get(address);
    if (!grant?.mayRead) return;
    const until = grant.end === 0 ? at : Math.min(at, grant.end);
    if (until >= storedAt) former.push({ publicKey: grant.publicKey, label: undefined, until });
  };
  for (const { action, at, detail = {} } of entries) {
    const address = String(detail.address);
    const time = Date.parse(at);
    if (action === 'delegate.removed') {
      lose(address, time);
      grants.delete(address);
    } else if (action === 'delegate.added' || action === 'delegate.scope_changed') {
      const before = grants.get(address);
      const mayRead = covers(detail, readable);
      if (before?.mayRead && !mayRead) lose(address, time);
      grants.set(address, {
        publicKey: String(detail.public_key ?? before?.publicKey ?? ''),
        mayRead,
        since: before?.mayRead && mayRead ? before.since : time,
        end: Number(detail.expires_at_ms),
      });
    }
  }
  const recorded = new Map([...grants.values()].map((grant) => [grant.publicKey, grant]));
  const readers: Reader[] = [];
  for (const { publicKey, label, createdAt, scope, minEpoch } of account.delegates) {
    const { perms, allNamespaces, tags, expiresAtMs } = scope;
    if (!covers({ perms, all_namespaces: allNamespaces, tags, min_epoch: minEpoch }, readable)) continue;
    const end = Number(expiresAtMs);
    if (end !== 0 && end <= now) {
      if (end >= storedAt) former.push({ publicKey, label, until: end });
      continue;
    }
    const since = recorded.get(publicKey)?.since ?? createdAt;
    readers.push({
      publicKey,
      label,
      since: readable.storedAt !== undefined && since <= readable.storedAt ? undefined : since,
      until: end === 0 ? undefined : end,
    });
  }
  return { readers, former: former.toReversed() };
}

function covers(scope: NonNullable<AuditEntry['detail']>, { tag, keyEpoch }: Readable): boolean {
  const { perms, all_namespaces, tags, min_epoch } = scope;
  return (
    (Number(perms) & permissions.read) !== 0 &&
    (all_namespaces === true || (Array.isArray(tags) && tags.includes(tag))) &&
    (keyEpoch === undefined || Number(min_epoch) <= keyEpoch)
  );
}
