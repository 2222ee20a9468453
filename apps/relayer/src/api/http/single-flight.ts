/** Runs work once for those who ask for the same while it is under way: they share its end. */
export function createSingleFlight<T>(): (name: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (name, work) => {
    const known = underWay.get(name);
    if (known) return known;
    const begun = work().finally(() => underWay.delete(name));
    underWay.set(name, begun);
    return begun;
  };
}
