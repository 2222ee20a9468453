import type { AuditEntry } from '@memrelay/protocol/audit-log';
import { readAudit } from '@memrelay/sdk/audit';
import { MemRelayError } from '@memrelay/sdk/errors';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../session/open-session.ts';

/** A sign-in over HTTP (OAuth) that a key was made for. */
export interface Grant {
  /** The program has exchanged the consent for its tokens */
  isUsed: boolean;
  /** The relayer has ended it, so that no one can use the key any more */
  isEnded: boolean;
}

export interface KeyFacts {
  /** By public key */
  grants: ReadonlyMap<string, Grant>;
  /** By public key, RFC 3339; only keys that were used since the relayer started */
  lastUsed: ReadonlyMap<string, string>;
  /** Whether `lastUsed` is complete */
  knowsUses: boolean;
  namespaces: readonly string[];
  error: unknown;
}

const refreshMs = 10_000;

/** The relayer may take a moment to see that the account was unfrozen. */
const retrying = {
  retry: (count: number, error: unknown) =>
    count < 10 && error instanceof MemRelayError && error.code === 'account_inactive',
  retryDelay: 1_000,
};

/** What the relayer knows about keys beyond the chain. Empty without a session. */
export function useKeyFacts(session: Session | undefined): KeyFacts {
  const stats = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => session!.client.stats({ signal }),
    enabled: session !== undefined,
    refetchInterval: refreshMs,
    ...retrying,
  });
  const grants = useQuery({
    queryKey: ['grants', session?.accountId],
    queryFn: async ({ signal }) => grantsIn((await readAudit(session!.client, { signal })).entries),
    enabled: session !== undefined,
    ...retrying,
  });
  return {
    grants: grants.data ?? new Map(),
    lastUsed: new Map(stats.data?.keyUses?.map(({ publicKey, lastUsed }) => [publicKey, lastUsed])),
    knowsUses: stats.data?.keyUses !== undefined,
    namespaces: stats.data?.namespaces.map(({ namespace }) => namespace) ?? [],
    error: stats.error ?? grants.error,
  };
}

/** The sign-ins in an audit log, by the public key that was made for each. */
export function grantsIn(entries: readonly AuditEntry[]): Map<string, Grant> {
  const grants = new Map<string, Grant>();
  for (const { action, detail } of entries) {
    const publicKey = detail?.public_key;
    if (typeof publicKey !== 'string') continue;
    const known = grants.get(publicKey);
    if (action === 'sign_in.granted') grants.set(publicKey, { isUsed: false, isEnded: false });
    else if (action === 'sign_in.completed' && known) grants.set(publicKey, { ...known, isUsed: true });
    else if (action === 'sign_in.revoked' && known) grants.set(publicKey, { ...known, isEnded: true });
  }
  return grants;
}
