import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../src/seeded-random.ts';
import type { FaultRelayer, FaultWorld } from '../world/fault-world.ts';
import { childrenOf, killNow } from '../world/restarting-service.ts';
import { type Fault, pick } from './fault.ts';
import { until } from './until.ts';

export const victims = ['relayer', 'sidecar', 'blobstore', 'localnet', 'postgres', 'redis'] as const;
export type Victim = (typeof victims)[number];

/** Maximum downtime of a victim before its restart */
const downMs = 600;
const restartMs = 60_000;

/** Kills one process with `kill -9`. Resolves when it and everything that depends on it run again. */
export async function kill(
  world: FaultWorld,
  victim: Victim,
  relayer: FaultRelayer,
  random: Random,
): Promise<boolean> {
  const away = random() * downMs;
  if (victim === 'sidecar') {
    const starts = relayer.starts();
    const [sidecar] = childrenOf(relayer.pid() ?? 0);
    if (!sidecar || !killNow(sidecar)) return false;
    // A relayer without its sidecar stops, and restarts with a new one
    return until(() => relayer.starts() > starts, restartMs);
  }
  const target = victim === 'relayer' ? relayer : world[victim];
  const happened = await target.kill(away);
  await target.up();
  return happened;
}

/** Kills at random moments. */
export const killsAtRandom: readonly Fault[] = [
  ...victims.map(
    (victim): Fault => ({
      kind: `kill ${victim}`,
      weight: 3,
      async run(world, random) {
        await pause(random() * 300);
        return kill(world, victim, pick(random, world.relayers), random);
      },
    }),
  ),
  {
    kind: 'kill both relayers',
    weight: 1,
    async run(world, random) {
      const killed = await Promise.all(
        world.relayers.map((relayer) => kill(world, 'relayer', relayer, random)),
      );
      return killed.every(Boolean);
    },
  },
];

/** Longer than a lease, so that another process has taken over the work when the relayer continues */
const frozenMs = 17_000;

export const freeze: Fault = {
  kind: 'relayer is paused for 17 s',
  weight: 1,
  async run(world, random) {
    const relayer = pick(random, world.relayers);
    const pid = relayer.pid();
    if (!pid) return false;
    try {
      process.kill(pid, 'SIGSTOP');
    } catch {
      return false;
    }
    await pause(frozenMs);
    // Another fault may have ended this run of the relayer
    if (relayer.pid() !== pid) return false;
    process.kill(pid, 'SIGCONT');
    return true;
  },
};
