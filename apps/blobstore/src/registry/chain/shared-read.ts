/**
 * Lets calls share a read that starts after them. They never share one that started before: it may have missed
 * something that the caller knows to exist.
 */
export function createSharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    reading = read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return () => {
    if (reading === undefined) return start();
    next ??= reading.then(start, start);
    return next;
  };
}
