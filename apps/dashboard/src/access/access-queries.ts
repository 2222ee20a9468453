import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { SeenHead } from '@memrelay/protocol/audit-check';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { type Audit, readAudit } from '@memrelay/sdk/audit';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session-context.ts';
import { localWallet } from '../wallet/local-wallet.ts';

/** While the page is open, it follows what others do. */
const refreshMs = 10_000;
/** Entries that one request returns */
const onePage = 500;

/** The whole audit log, checked, also against what this browser saw last. */
export function useAudit() {
  const { client, accountId } = useSession();
  return useQuery({
    queryKey: ['audit'],
    queryFn: async ({ signal }): Promise<Audit> => {
      const audit = await readAudit(client, { seen: seenHead(accountId), signal });
      if (audit.problems.length === 0)
        localStorage.setItem(storageKey(accountId), JSON.stringify(audit.seen));
      return audit;
    },
    // Every read starts at the beginning of the log
    refetchInterval: ({ state }) => ((state.data?.entries.length ?? 0) > onePage ? false : refreshMs),
  });
}

const storageKey = (accountId: string): string => `memrelay.audit-head.${accountId}`;

function seenHead(accountId: string): SeenHead | undefined {
  const stored = localStorage.getItem(storageKey(accountId));
  return stored === null ? undefined : (JSON.parse(stored) as SeenHead);
}

/** The keys that memories are encrypted to, in all namespaces. */
export function useAccountKeys() {
  const { client } = useSession();
  return useQuery({ queryKey: ['account-keys'], queryFn: ({ signal }) => client.keys({ signal }) });
}

/** Those of these blob objects that exist on chain. */
export function useBlobObjects(objectIds: readonly string[]) {
  return useQuery({
    queryKey: ['blobs', ...objectIds],
    queryFn: () => localWallet.blobs(objectIds),
    enabled: objectIds.length > 0,
  });
}

/**
 * The blob objects that a forgotten memory left behind: a repeated forget names them. Only for memories that the audit log
 * names as forgotten, so that this removes nothing.
 */
export function useLeftObjects(id: string, namespace: string, isForgotten: boolean) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['left', id],
    queryFn: ({ signal }) => client.forget({ namespace, ids: [id], signal }),
    enabled: isForgotten,
    // A quilt's object is named once its other memories are stored again
    refetchInterval: ({ state }) => (state.data?.blobsShared ? refreshMs / 5 : false),
  });
}

/** The tag of a namespace in this account, 32 hex digits. */
export function useNamespaceTag(): (namespace: string) => string {
  const { state } = useSession();
  const origin = fromHex(state.account!.origin);
  return (namespace) => toHex(namespaceTag(portablePrimitives, origin, namespace));
}
