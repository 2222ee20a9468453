import type { MemRelay, RecallHit, TagFilterOptions } from '@memrelay/sdk';
import { type OnError, reportFailure } from './failure-report.ts';

export interface TimedRecallOptions {
  namespace?: string | undefined;
  /** Maximum number of hits, 1–100 */
  limit: number;
  minScore?: number | undefined;
  tags?: TagFilterOptions | undefined;
  /** After this time the answer proceeds without memories */
  timeoutMs: number;
  /** The caller's own */
  signal?: AbortSignal | undefined;
  onError?: OnError | undefined;
}

/** Embedding models read far less, and the relayer rejects queries above 64 KiB */
const queryCharacters = 8_000;

/** Recalls, but never throws and never takes longer than the timeout: a failure is reported and finds nothing. */
export async function recallInTime(
  memory: Pick<MemRelay, 'recall'>,
  query: string,
  options: TimedRecallOptions,
): Promise<RecallHit[]> {
  const { timeoutMs, signal: ofCaller, onError, ...rest } = options;
  const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(ofCaller ? [ofCaller] : [])]);
  try {
    const recalled = memory.recall(query.slice(0, queryCharacters), { ...rest, signal: ended });
    return (await Promise.race([recalled, rejectionOf(ended)])).results;
  } catch (error) {
    if (!ofCaller?.aborted) reportFailure(onError, error, 'recall');
    return [];
  }
}

/** Rejects when the signal aborts, whether or not the client has noticed. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
