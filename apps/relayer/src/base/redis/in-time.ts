/**
 * The answer of a command, or a rejection when it takes longer than `timeoutMs`. The Redis client's own timeout ends
 * when a command is written; a server that hangs would hold its callers for ever.
 */
export function inTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  command.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
