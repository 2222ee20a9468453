import type { RecallHit } from '@memrelay/sdk/types';

/** A call that an adapter made. */
export interface MemoryCall {
  method: string;
  text: string;
  options: Record<string, unknown>;
}

/**
 * A client in memory for tests of adapters: recall returns every stored text, newest first, and each method can be made to fail or to
 * hang. How well the relayer finds memories is tested elsewhere.
 */
export function createMemoryDouble(stored: readonly string[] = []) {
  const hits: RecallHit[] = [];
  const calls: MemoryCall[] = [];
  const behaviour = new Map<string, () => Promise<unknown>>();
  const store = (text: string, options: object = {}): string => {
    const id = `memory-${hits.length + 1}`;
    hits.unshift({ distance: 0.1, createdAt: '2026-05-08T10:00:00.000Z', ...options, id, text } as RecallHit);
    return id;
  };
  const begin = async (method: string, text: string, options: object): Promise<void> => {
    calls.push({ method, text, options: { ...options } });
    await behaviour.get(method)?.();
  };
  for (const text of stored) store(text);
  return {
    calls,
    hits,
    /** Replaces what happens before a method answers */
    before(method: string, run: () => Promise<unknown>) {
      behaviour.set(method, run);
    },
    async recall(query: string, options: { limit?: number | undefined } = {}) {
      await begin('recall', query, options);
      const results = hits.slice(0, options.limit ?? 10);
      return { results, total: results.length };
    },
    async remember(text: string, options: { speaker?: string | undefined } = {}) {
      await begin('remember', text, options);
      const { speaker } = options;
      return { jobId: store(text, speaker === undefined ? {} : { speaker }), status: 'pending' as const };
    },
    async analyze(text: string, options: object = {}) {
      await begin('analyze', text, options);
      return { facts: [], jobIds: [], unchanged: [] } as never;
    },
    async forget(options: { ids?: readonly string[] } = {}) {
      await begin('forget', '', options);
      const kept = hits.filter(({ id }) => !options.ids?.includes(id));
      const deleted = hits.length - kept.length;
      hits.splice(0, hits.length, ...kept);
      return { deleted, blobsToDelete: [] };
    },
  };
}
