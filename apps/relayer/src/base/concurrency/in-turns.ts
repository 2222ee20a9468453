import { createPauses } from './pauses.ts';

/**
 * Work on large data in small steps: a generator that yields after each, and returns the result. What it does between two
 * yields blocks the event loop, so a step takes at most a few milliseconds.
 */
export type Steps<T> = Generator<void, T>;

/** Takes all steps, letting the event loop serve other requests every 5 ms, and returns the result. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  const pause = createPauses();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const turn = pause();
    if (turn) await turn;
  }
}
