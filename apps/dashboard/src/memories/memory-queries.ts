import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemoriesPage, MemoryEntry, RecallHit } from '@memrelay/sdk/types';
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { useSession } from '../session/session-context.ts';

/** Which memories the page shows. */
export interface MemoryFilter {
  /** Undefined = all */
  namespace: string | undefined;
  /** Only with a namespace */
  tag: string | undefined;
}

const pageSize = 100;
/** A list of one page is read again this often, so that memories of other tools appear. */
const refreshMs = 5_000;

/** The list, newest first, page by page. */
export function useMemoryList({ namespace, tag }: MemoryFilter) {
  const { client } = useSession();
  return useInfiniteQuery({
    queryKey: ['memories', namespace, tag],
    queryFn: ({ pageParam, signal }) =>
      client.memoriesPage({
        ...(namespace === undefined ? { allNamespaces: true } : { namespace }),
        ...(tag === undefined ? {} : { tags: { all: [tag] } }),
        limit: pageSize,
        cursor: pageParam,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A refetch reads every loaded page
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : refreshMs),
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
  });
}

/** The text and fields of one memory, decrypted by the relayer. */
export function useMemory(entry: Pick<MemoryEntry, 'id' | 'pending'> | undefined, isEnabled = true) {
  const { client } = useSession();
  const id = entry?.id ?? '';
  return useQuery({
    queryKey: ['memory', id, entry?.pending === true],
    queryFn: ({ signal }) => client.memory(id, { signal }),
    enabled: entry !== undefined && isEnabled,
    staleTime: 60_000,
  });
}

export function useNamespaces() {
  const { client } = useSession();
  return useQuery({ queryKey: ['namespaces'], queryFn: ({ signal }) => client.namespaces({ signal }) });
}

export function useStats() {
  const { client } = useSession();
  return useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => client.stats({ signal }),
    refetchInterval: 10_000,
  });
}

/** The jobs of memories that could not be stored, with their errors. */
export function useFailedJobs(ids: readonly string[]) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['stats', 'failed', ids],
    queryFn: ({ signal }) => client.jobs(ids, { signal }),
    enabled: ids.length > 0,
  });
}

/** Reads lists and counts again after a change. Long lists start again from their first page. */
export function useRefresh(): () => void {
  const queries = useQueryClient();
  return useCallback(() => refresh(queries), [queries]);
}

function refresh(queries: QueryClient): void {
  queries.setQueriesData<InfiniteData<MemoriesPage>>(
    { queryKey: ['memories'] },
    (list) => list && { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) },
  );
  for (const key of ['memories', 'memory', 'namespaces', 'stats', 'search'])
    void queries.invalidateQueries({ queryKey: [key] });
}

export interface FoundMemory extends RecallHit {
  namespace: string;
}

export interface Found {
  hits: FoundMemory[];
  droppedCount: number;
  /** The relayer compares meaning with its built-in lexical embedder */
  isLexical: boolean;
}

const maxHits = 20;
/** Recall searches one namespace at a time; of all namespaces, the page searches those with the most memories. */
const maxNamespaces = 8;

/** Searches one namespace, or several at once and merges their hits by score. */
export function useSearch(question: string, { namespace, tag }: MemoryFilter, names: readonly string[]) {
  const { client } = useSession();
  const searched = namespace === undefined ? names.slice(0, maxNamespaces) : [namespace];
  return useQuery({
    queryKey: ['search', question, searched, tag],
    queryFn: ({ signal }) => search(client, question, searched, tag, signal),
    enabled: question !== '' && searched.length > 0,
  });
}

async function search(
  client: MemRelay,
  question: string,
  namespaces: readonly string[],
  tag: string | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const found = await Promise.all(
    namespaces.map(async (namespace) => {
      const tags = tag === undefined ? {} : { tags: { all: [tag] } };
      const options = { namespace, limit: maxHits, explain: true, context: 1, signal, ...tags };
      return { namespace, ...(await client.recall(question, options)) };
    }),
  );
  const hits = found.flatMap(({ namespace, results }) => results.map((hit) => ({ ...hit, namespace })));
  return {
    hits: hits.sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, maxHits),
    droppedCount: found.reduce((sum, { droppedCount = 0 }) => sum + droppedCount, 0),
    isLexical: found.some(({ mock }) => mock === true),
  };
}
