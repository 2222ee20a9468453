import { setTimeout } from 'node:timers/promises';

/**
 * A part that is there takes milliseconds to connect, and the first request should find it connected; one that is away
 * must not hold up the start.
 */
export async function waitBriefly(isReady: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 2_000; !isReady() && Date.now() < deadline; ) await setTimeout(20);
}
