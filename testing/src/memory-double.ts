import type { MemoryEntry, RecallHit, TagFilterOptions } from '@memrelay/sdk/types';

/** A call that an adapter made. */
export interface MemoryCall {
  method: string;
  text: string;
  options: Record<string, unknown>;
}

interface Filter {
  namespace?: string | undefined;
  tags?: TagFilterOptions | undefined;
  limit?: number | undefined;
}

interface Stored {
  id: string;
  text: string;
  namespace: string;
  tags: readonly string[];
  speaker?: string | undefined;
}

const createdAt = '2026-05-08T10:00:00.000Z';

/**
 * A client in memory for tests of adapters: recall returns every stored text whose tags pass, newest first, and each method can be
 * made to fail or to hang. A text is stored once per namespace, as by a relayer. How well the relayer finds memories is tested
 * elsewhere.
 */
export function createMemoryDouble(texts: readonly string[] = []) {
  let stored: Stored[] = [];
  let number = 0;
  const calls: MemoryCall[] = [];
  const behaviour = new Map<string, () => Promise<unknown>>();
  const begin = async (method: string, text: string, options: object): Promise<void> => {
    calls.push({ method, text, options: { ...options } });
    await behaviour.get(method)?.();
  };
  const store = (item: Partial<Stored> & { text: string }): string => {
    const { text, namespace = 'default', tags = [], speaker } = item;
    const known = stored.find((each) => each.text === text && each.namespace === namespace);
    if (known) return known.id;
    const id = `memory-${++number}`;
    stored.unshift({ id, text, namespace, tags, speaker });
    return id;
  };
  const passing = ({ namespace = 'default', tags: { all = [], any, not = [] } = {} }: Filter): Stored[] =>
    stored.filter(
      (each) =>
        each.namespace === namespace &&
        all.every((tag) => each.tags.includes(tag)) &&
        (any === undefined || any.some((tag) => each.tags.includes(tag))) &&
        !not.some((tag) => each.tags.includes(tag)),
    );
  for (const text of texts) store({ text });
  return {
    calls,
    /** What is stored, newest first */
    stored: () => stored,
    /** Replaces what happens before a method answers */
    before(method: string, run: () => Promise<unknown>) {
      behaviour.set(method, run);
    },
    async recall(query: string, options: Filter = {}) {
      await begin('recall', query, options);
      const found = options.namespace === undefined || options.tags ? passing(options) : stored;
      const results = found.slice(0, options.limit ?? 10).map(({ speaker, ...each }) => ({
        ...each,
        createdAt,
        distance: 0.1,
        score: 0.9,
        ...(speaker && { speaker }),
      }));
      return { results: results as unknown as RecallHit[], total: results.length };
    },
    async remember(
      text: string,
      options: Omit<Partial<Stored>, 'tags'> & { tags?: readonly string[] | undefined } = {},
    ) {
      await begin('remember', text, options);
      return { jobId: store({ text, speaker: options.speaker }), status: 'running' as const };
    },
    async rememberBulk(
      items: readonly {
        text: string;
        namespace?: string | undefined;
        tags?: readonly string[] | undefined;
      }[],
    ) {
      await begin('rememberBulk', '', { items });
      return {
        jobIds: items.map(({ text, namespace = 'default', tags = [] }) => store({ text, namespace, tags })),
      };
    },
    async *memories(options: Filter = {}): AsyncGenerator<MemoryEntry, void, undefined> {
      await begin('memories', '', options);
      for (const { id, text, namespace } of passing(options))
        yield { id, text, namespace, createdAt } as unknown as MemoryEntry;
    },
    async analyze(text: string, options: object = {}) {
      await begin('analyze', text, options);
      return { facts: [], jobIds: [], unchanged: [] } as never;
    },
    async forget(options: { ids?: readonly string[] } = {}) {
      await begin('forget', '', options);
      const before = stored.length;
      stored = stored.filter(({ id }) => !options.ids?.includes(id));
      return { deleted: before - stored.length, blobsToDelete: [] };
    },
  };
}
