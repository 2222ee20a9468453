import { setTimeout } from 'node:timers/promises';

/** Collects items that arrive while earlier work runs, and passes them on together. */
export type Batcher<T, R> = (item: T) => Promise<R>;

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/** How long to wait for the callers of the previous batch to submit new items, in milliseconds. */
const lingerMs = 10;

/**
 * `work` gets up to `most` items at a time, never overlaps with itself, and returns a result per item in order. An
 * item that arrives while nothing runs starts immediately. After a batch of several, the next one waits a moment to
 * collect as many, because one large batch costs less than a small one followed by the rest.
 */
export function createBatcher<T, R>(
  most: number,
  work: (items: T[]) => Promise<PromiseSettledResult<R>[]>,
): Batcher<T, R> {
  const waiting: Waiting<T, R>[] = [];
  let running = false;
  /** Ends the wait for `expected` items */
  let gathering: AbortController | undefined;
  let expected = 0;

  async function gather(size: number): Promise<void> {
    if (size < 2 || waiting.length >= size) return;
    expected = size;
    gathering = new AbortController();
    await setTimeout(lingerMs, undefined, { signal: gathering.signal }).catch(() => undefined);
    gathering = undefined;
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      const results = await work(batch.map(({ item }) => item)).catch((reason: unknown) =>
        batch.map(() => ({ status: 'rejected' as const, reason })),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') resolve(result.value);
        else reject(result?.reason);
      }
      await gather(batch.length);
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length >= expected) gathering?.abort();
      if (!running) void run();
    });
}
