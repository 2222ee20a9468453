import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { problemText } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useToasts } from '../parts/toasts.tsx';
import { localWallet } from '../wallet/local-wallet.ts';

/** Deletes blob objects for good with one signature of the wallet, and shows how it went. Never rejects. */
export function useDeleteBlobs(): (objectIds: readonly string[]) => Promise<void> {
  const { t, counted } = useTexts();
  const toasts = useToasts();
  const queries = useQueryClient();
  return useCallback(
    async (objectIds) => {
      const id = `blobs ${objectIds[0]}`;
      toasts.show({ id, icon: 'busy', title: counted('blobs.deleting', objectIds.length) });
      try {
        const count = await localWallet.deleteBlobs(objectIds);
        toasts.show({ id, icon: 'check', title: counted('blobs.deleted', count) });
      } catch (error) {
        toasts.show({ id, icon: 'problem', title: t('blobs.failed'), about: problemText(error, t) });
      }
      for (const key of ['blobs', 'stats']) await queries.invalidateQueries({ queryKey: [key] });
    },
    [counted, queries, t, toasts],
  );
}
