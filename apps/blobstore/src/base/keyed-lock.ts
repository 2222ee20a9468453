/** Runs one task at a time for each key, in the order of arrival. */
export interface KeyedLock {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<void>>();
  return {
    async run(key, work) {
      const before = tails.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      tails.set(key, promise);
      await before;
      try {
        return await work();
      } finally {
        resolve();
        if (tails.get(key) === promise) tails.delete(key);
      }
    },
  };
}
