/**
 * Returns the response to a command, or rejects after `timeoutMs`. The Redis client's own timeout ends when a command is
 * written, so a hanging server would block its callers forever.
 */
export function inTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  command.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
