import { backoffMs } from '@memrelay/protocol/backoff';
import type { MemRelay } from '@memrelay/sdk';

type RecallClient = Pick<MemRelay, 'recall'>;

/** Recalls are skipped because several have failed in a row. `cause` is the last failure. */
export class RecallPausedError extends Error {
  override name = 'RecallPausedError';
  readonly code = 'recall_paused';
  readonly retryable = true;
  /** Milliseconds until the next recall is attempted */
  readonly pauseMs: number;

  constructor(pauseMs: number, cause: unknown) {
    const seconds = Math.max(1, Math.ceil(pauseMs / 1000));
    super(
      `Recall failed ${failuresBeforePause} times in a row. It is skipped, and attempted again in ${seconds} s.`,
      { cause },
    );
    this.pauseMs = pauseMs;
  }
}

/** A recall that may be attempted. Call exactly one of its methods when it has ended. */
export interface RecallAttempt {
  succeeded(): void;
  /** Returns what to report: the error, a `RecallPausedError` when the pause begins, nothing for later failures. */
  failed(error: unknown): unknown;
  /** The caller did not wait for it, which says nothing about the relayer */
  abandoned(): void;
}

/**
 * Stops recalls to a relayer that is down, so that answers do not wait for it: after a few failures in a row, recalls are
 * skipped for a pause that grows with each failed attempt. After a pause one recall is attempted, and others are skipped
 * until it has ended. The first success ends the pauses.
 */
export interface RecallCircuit {
  /** Throws `RecallPausedError` during a pause. */
  begin(): RecallAttempt;
}

export interface CircuitClock {
  /** Milliseconds that never go back */
  now(): number;
  /** From 0 up to 1 */
  random(): number;
}

const failuresBeforePause = 3;
const pauses = { firstMs: 5_000, maxMs: 300_000 };
const systemClock: CircuitClock = { now: () => performance.now(), random: Math.random };

export function createRecallCircuit({ now, random }: CircuitClock = systemClock): RecallCircuit {
  let failures = 0;
  let pausedUntil = 0;
  let isProbing = false;
  let lastError: unknown;

  function note(error: unknown): unknown {
    // The relayer responded, and would respond the same to other questions
    if (!mayPass(error)) {
      failures = 0;
      return error;
    }
    failures += 1;
    lastError = error;
    if (failures < failuresBeforePause) return error;
    const pauseMs = backoffMs(failures - failuresBeforePause + 1, pauses, random);
    pausedUntil = now() + pauseMs;
    return failures === failuresBeforePause ? new RecallPausedError(pauseMs, error) : undefined;
  }

  return {
    begin() {
      const isPaused = failures >= failuresBeforePause;
      const leftMs = pausedUntil - now();
      if (isPaused && (isProbing || leftMs > 0)) throw new RecallPausedError(Math.max(0, leftMs), lastError);
      isProbing = isPaused;
      const end = <R>(result: () => R): R => {
        if (isPaused) isProbing = false;
        return result();
      };
      return {
        succeeded: () =>
          end(() => {
            failures = 0;
          }),
        // One that began before the pause does not make it longer
        failed: (error) =>
          end(() => (!isPaused && failures >= failuresBeforePause ? undefined : note(error))),
        abandoned: () => end(() => undefined),
      };
    },
  };
}

const circuits = new WeakMap<RecallClient, RecallCircuit>();

/** The circuit that everything which recalls with this client shares. */
export function circuitOf(memory: RecallClient): RecallCircuit {
  const known = circuits.get(memory) ?? createRecallCircuit();
  circuits.set(memory, known);
  return known;
}

/** Recalls with the client's own timeouts. Throws `RecallPausedError` during a pause, else what the client throws. */
export async function recallUnlessPaused(
  memory: RecallClient,
  query: string,
  options: NonNullable<Parameters<MemRelay['recall']>[1]>,
  circuit = circuitOf(memory),
): ReturnType<MemRelay['recall']> {
  const attempt = circuit.begin();
  try {
    const result = await memory.recall(query, options);
    attempt.succeeded();
    return result;
  } catch (error) {
    if (options.signal?.aborted) attempt.abandoned();
    else attempt.failed(error);
    throw error;
  }
}

/** Whether a later attempt may succeed. By the field, because a program may have two copies of the SDK. */
function mayPass(error: unknown): boolean {
  return !(error instanceof Error && 'retryable' in error && error.retryable === false);
}
