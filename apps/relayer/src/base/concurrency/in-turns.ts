import type { Steps } from '@memrelay/text-index/base/steps';
import { createPauses } from './pauses.ts';

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
