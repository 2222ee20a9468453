import type { MemoriesPage } from '@memrelay/sdk/types';
import type { InfiniteData } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { problemText } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useToasts } from '../parts/toasts.tsx';
import { useSession } from '../session/session-context.ts';
import { useDeleteBlobs } from './delete-blobs.ts';

/** How long a forget can be undone: until then nothing is sent. */
const windowMs = 8_000;
/** `POST /api/forget` takes at most 200 ids. */
const maxIds = 200;

export interface Forgettable {
  id: string;
  namespace: string;
}

interface Forgetting {
  /** Ids that lists leave out, because they are about to be forgotten */
  hidden: ReadonlySet<string>;
  forget(memories: readonly Forgettable[]): void;
}

const ForgetContext = createContext<Forgetting | undefined>(undefined);

/** Forgets memories after a window in which the user can undo it. Closing the page within the window forgets nothing. */
export function ForgetProvider({ children }: { children: ReactNode }) {
  const { client } = useSession();
  const { t, counted } = useTexts();
  const toasts = useToasts();
  const queries = useQueryClient();
  const deleteBlobs = useDeleteBlobs();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Set<number>());
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) window.clearTimeout(timer);
    };
  }, []);

  const value = useMemo((): Forgetting => {
    const setShown = (ids: readonly string[], isShown: boolean): void =>
      setHidden((all) => {
        const next = new Set(all);
        for (const id of ids)
          if (isShown) next.delete(id);
          else next.add(id);
        return next;
      });

    const send = async (toast: string, memories: readonly Forgettable[]): Promise<void> => {
      const ids = memories.map(({ id }) => id);
      toasts.show({ id: toast, icon: 'busy', title: counted('forget.pending', ids.length) });
      try {
        const namespaces = Map.groupBy(memories, ({ namespace }) => namespace);
        const left: string[] = [];
        for (const [namespace, group] of namespaces)
          for (let start = 0; start < group.length; start += maxIds) {
            const some = group.slice(start, start + maxIds);
            const forgotten = await client.forget({ namespace, ids: some.map(({ id }) => id) });
            left.push(...forgotten.blobsToDelete);
          }
        removeFromLists(ids);
        toasts.show({
          id: toast,
          icon: 'check',
          title: counted('forget.done', ids.length),
          about: t('forget.done.blobs'),
          actions:
            left.length === 0
              ? []
              : [
                  {
                    text: t('forget.blobs'),
                    onPress: () => {
                      toasts.close(toast);
                      void deleteBlobs(left);
                    },
                  },
                ],
        });
      } catch (error) {
        toasts.show({ id: toast, icon: 'problem', title: t('forget.failed'), about: problemText(error, t) });
      }
      setShown(ids, true);
      for (const key of ['namespaces', 'stats', 'search', 'audit'])
        void queries.invalidateQueries({ queryKey: [key] });
      for (const id of ids) void queries.invalidateQueries({ queryKey: ['memory', id] });
    };

    /** A refetch would read all pages of a long list again. */
    const removeFromLists = (ids: readonly string[]): void => {
      const forgotten = new Set(ids);
      queries.setQueriesData<InfiniteData<MemoriesPage>>(
        { queryKey: ['memories'] },
        (list) =>
          list && {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              memories: page.memories.filter(({ id }) => !forgotten.has(id)),
            })),
          },
      );
    };

    return {
      hidden,
      forget(memories) {
        const toast = crypto.randomUUID();
        const ids = memories.map(({ id }) => id);
        const end = (): void => {
          window.clearTimeout(timer);
          timers.current.delete(timer);
        };
        const sendNow = (): void => {
          end();
          void send(toast, memories);
        };
        const timer = window.setTimeout(sendNow, windowMs);
        timers.current.add(timer);
        setShown(ids, false);
        toasts.show({
          id: toast,
          icon: 'forget',
          title: counted('forget.pending', ids.length),
          about: t('forget.pending.about'),
          windowMs,
          actions: [
            { text: t('forget.now'), onPress: sendNow },
            {
              text: t('action.undo'),
              onPress: () => {
                end();
                setShown(ids, true);
                toasts.close(toast);
              },
            },
          ],
        });
      },
    };
  }, [client, counted, deleteBlobs, hidden, queries, t, toasts]);
  return <ForgetContext value={value}>{children}</ForgetContext>;
}

export function useForget(): Forgetting {
  const forgetting = useContext(ForgetContext);
  if (!forgetting) throw new Error('useForget needs a ForgetProvider above it');
  return forgetting;
}
