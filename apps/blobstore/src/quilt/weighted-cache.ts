/** Values that are costly to make, each with its weight; those asked for last are kept, up to a total weight. */
export interface WeightedCache<V extends { weight: number }> {
  /** The value of a key, made by `make` unless it is kept or being made. A failure is not kept. */
  get(key: string, make: () => Promise<V>): Promise<V>;
}

export function createWeightedCache<V extends { weight: number }>(capacity: number): WeightedCache<V> {
  /** The least recently used first */
  const kept = new Map<string, V>();
  const underway = new Map<string, Promise<V>>();
  let total = 0;

  function keep(key: string, value: V): void {
    kept.set(key, value);
    total += value.weight;
    for (const [oldest, { weight }] of kept) {
      if (total <= capacity) return;
      kept.delete(oldest);
      total -= weight;
    }
  }

  return {
    async get(key, make) {
      const value = kept.get(key);
      if (value !== undefined) {
        kept.delete(key);
        kept.set(key, value);
        return value;
      }
      let making = underway.get(key);
      if (making === undefined) {
        making = make().finally(() => underway.delete(key));
        underway.set(key, making);
        keep(key, await making);
      }
      return making;
    },
  };
}
