import { setImmediate } from 'node:timers/promises';

/** How long a piece of work may keep the event loop to itself, milliseconds */
const pieceMs = 5;

/**
 * For loops over large data: the returned function resolves at once until the work has taken 5 ms, then lets the event loop
 * serve other requests before it resolves.
 */
export function createPauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < pieceMs) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
