import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../session/session-context.ts';
import { localWallet } from '../wallet/local-wallet.ts';

/** What shows that an agent or a program has reached the account since the page was opened. */
export type FirstCall =
  | { kind: 'key'; label: string; at: string }
  | { kind: 'memory'; namespace: string; at: string };

interface Seen {
  keys: ReadonlySet<string>;
  newestId: string | undefined;
}

const pollMs = 2_000;

/**
 * Waits for a key or a memory that was not there when the page was opened. The relayer does not record recalls, so one of
 * them alone is not noticed.
 */
export function useFirstCall() {
  const { client } = useSession();
  const [page] = useState<{ seen?: Seen; id: string }>(() => ({ id: crypto.randomUUID() }));
  return useQuery({
    queryKey: ['first-call', page.id],
    queryFn: async ({ signal }): Promise<FirstCall | null> => {
      const [wallet, { memories }] = await Promise.all([
        localWallet.state(),
        client.memoriesPage({ allNamespaces: true, limit: 1, signal }),
      ]);
      const delegates = wallet.account?.delegates ?? [];
      const [newest] = memories;
      const { seen } = page;
      if (!seen) {
        page.seen = { keys: new Set(delegates.map(({ publicKey }) => publicKey)), newestId: newest?.id };
        return null;
      }
      const key = delegates.find(({ publicKey }) => !seen.keys.has(publicKey));
      if (newest && newest.id !== seen.newestId)
        return { kind: 'memory', namespace: newest.namespace, at: newest.createdAt };
      return key ? { kind: 'key', label: key.label, at: new Date(key.createdAt).toISOString() } : null;
    },
    // A sign-in is followed by the first memory
    refetchInterval: ({ state }) => (state.data?.kind === 'memory' ? false : pollMs),
  });
}
