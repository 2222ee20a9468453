import { setTimeout as wait } from 'node:timers/promises';
import type { GuardedCommand, GuardedProcess } from './guarded-process.ts';

/** A service that runs for this process only. */
export interface RunningService {
  url: string;
  /** Stops it and removes its files. It also ends with this process if this is never called. */
  stop(): Promise<void>;
}

/** A service that has a folder but is not started yet. */
export interface PreparedService {
  command: GuardedCommand;
  url: string;
  isReady(): Promise<boolean>;
}

const readyTimeoutMs = 60_000;
const probeMs = 50;

/**
 * Waits until `probe` returns true. Throws with the service's last output when it ends first, or when it does not
 * respond within a minute (it is stopped then).
 */
export async function untilReady(
  name: string,
  service: GuardedProcess,
  probe: () => Promise<boolean>,
): Promise<void> {
  let last: string | undefined;
  void service.ended.then((reason) => {
    last = reason;
  });
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline) {
    if (await probe()) return;
    if (last !== undefined) throw new Error(`${name} did not start: ${last}`);
    await wait(probeMs);
  }
  await service.stop();
  throw new Error(`${name} did not respond within ${readyTimeoutMs / 1000} s`);
}
