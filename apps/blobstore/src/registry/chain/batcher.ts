/** Collects what arrives while earlier work runs, and hands it on together. */
export type Batcher<T, R> = (item: T) => Promise<R>;

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * `work` gets up to `most` items at a time, never overlapping with itself, and answers for each of them in their
 * order. An item that arrives while nothing runs starts at once.
 */
export function createBatcher<T, R>(
  most: number,
  work: (items: T[]) => Promise<PromiseSettledResult<R>[]>,
): Batcher<T, R> {
  const waiting: Waiting<T, R>[] = [];
  let running = false;

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
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
