import type { onRequestAsyncHookHandler } from 'fastify';
import type { ConcurrencyLimit } from '../blob-store-context.ts';
import { tooManyRequests } from './api-error.ts';

/**
 * A hook that lets `concurrent` requests work at a time, keeps further ones waiting in order, and answers 429
 * once `buffered` are inside. A place is held until the response is finished or its client is gone. One hook
 * is shared by all routes of a part.
 */
export function createAdmission(
  part: 'publisher' | 'aggregator',
  limit: ConcurrencyLimit,
): onRequestAsyncHookHandler {
  const waiting: (() => void)[] = [];
  let working = 0;

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) working -= 1;
    else next();
  }

  return async (_request, reply) => {
    if (working + waiting.length >= limit.buffered) throw tooManyRequests(part);
    if (working < limit.concurrent) working += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
  };
}
