import type { MemRelay, RecallHit, TagFilterOptions } from '@memrelay/sdk';
import { type OnError, reportFailure } from './failure-report.ts';
import { circuitOf, type RecallAttempt, type RecallCircuit, RecallPausedError } from './recall-circuit.ts';

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
  /** Default: that of the client */
  circuit?: RecallCircuit | undefined;
}

/** Embedding models read far less, and the relayer rejects queries above 64 KiB */
const queryCharacters = 8_000;

/**
 * Recalls, but never throws and never takes longer than the timeout: a failure is reported and finds nothing. During a pause
 * of the circuit it finds nothing at once, and nothing is reported.
 */
export async function recallInTime(
  memory: Pick<MemRelay, 'recall'>,
  query: string,
  options: TimedRecallOptions,
): Promise<RecallHit[]> {
  const { timeoutMs, signal: ofCaller, onError, circuit = circuitOf(memory), ...rest } = options;
  let attempt: RecallAttempt | undefined;
  try {
    attempt = circuit.begin();
    const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(ofCaller ? [ofCaller] : [])]);
    const recalled = memory.recall(query.slice(0, queryCharacters), { ...rest, signal: ended });
    const { results } = await Promise.race([recalled, rejectionOf(ended)]);
    attempt.succeeded();
    return results;
  } catch (error) {
    if (ofCaller?.aborted) attempt?.abandoned();
    else if (attempt) {
      const report = attempt.failed(error);
      if (report !== undefined) reportFailure(onError, report, 'recall');
    } else if (!(error instanceof RecallPausedError)) reportFailure(onError, error, 'recall');
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
