/**
 * Work on large data in small steps: a generator that yields after each, and returns the result. What it does between two
 * yields blocks the event loop, so a step takes at most a few milliseconds.
 */
export type Steps<T> = Generator<void, T>;

/** Takes all steps at once, for short texts. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
