import { listRecords, type RecordClient, removeRecords, tagOf, writeRecords } from './records.ts';

export interface SessionLogOptions {
  memory: RecordClient;
  /** Where the items are. Use a namespace of their own: they are records of a program, not facts to recall. */
  namespace: string;
  /** The conversation, of any length */
  sessionId: string;
}

/** The items of a conversation, in order. Each is one memory: a JSON document. */
export interface SessionLog<T> {
  /** The last `limit` items, or all, oldest first */
  read(limit?: number): Promise<T[]>;
  /** Resolves when the items are durably accepted */
  append(items: readonly T[]): Promise<void>;
  /** Removes the last item permanently and returns it */
  pop(): Promise<T | undefined>;
  /** Removes all items permanently */
  clear(): Promise<void>;
}

export function createSessionLog<T>({ memory, namespace, sessionId }: SessionLogOptions): SessionLog<T> {
  const tags = tagOf('session', sessionId).then((tag) => [tag]);
  const newest = async (limit = Number.POSITIVE_INFINITY): Promise<{ id: string; item: T }[]> => {
    const found: { id: string; item: T }[] = [];
    if (limit <= 0) return found;
    for await (const { id, text } of listRecords(memory, namespace, await tags, Math.min(limit, 100))) {
      found.push({ id, item: (JSON.parse(text) as { item: T }).item });
      if (found.length >= limit) break;
    }
    return found;
  };
  return {
    async read(limit) {
      return (await newest(limit)).reverse().map(({ item }) => item);
    },
    async append(items) {
      const tagged = await tags;
      // The id keeps equal items apart: the relayer stores each text once
      const records = items.map((item) => ({
        text: JSON.stringify({ item, id: crypto.randomUUID() }),
        tags: tagged,
      }));
      await writeRecords(memory, namespace, records);
    },
    async pop() {
      const [last] = await newest(1);
      if (last) await removeRecords(memory, namespace, [last.id]);
      return last?.item;
    },
    async clear() {
      const items = await newest();
      await removeRecords(
        memory,
        namespace,
        items.map(({ id }) => id),
      );
    },
  };
}
