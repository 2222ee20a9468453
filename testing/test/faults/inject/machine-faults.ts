import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { between, type Random } from '../../../src/seeded-random.ts';
import type { FaultWorld } from '../world/fault-world.ts';
import { storeFault } from './admin.ts';
import { type Fault, pick } from './fault.ts';
import { until } from './until.ts';

const patienceMs = 6_000;

/** Number of stores that the blob store itself failed, as counted by the proxies. */
const failedStores = (relayers: FaultWorld['relayers']): number =>
  relayers.reduce(
    (sum, { publisher }) =>
      sum + [...publisher.statuses].reduce((count, [status, n]) => count + (status >= 500 ? n : 0), 0),
    0,
  );

export const diskFull: Fault = {
  kind: 'disk of the blob store is full',
  weight: 3,
  async run(world) {
    const before = failedStores(world.relayers);
    const happened = () => until(() => failedStores(world.relayers) > before, patienceMs);
    if (!world.disk) {
      const fault = { operation: 'store', fault: 'INTERNAL_ERROR', durationMs: patienceMs };
      const end = await storeFault(world, fault).catch(() => undefined);
      if (!end) return false;
      const failed = await happened();
      await end();
      return failed;
    }
    await world.disk.fill();
    try {
      return await happened();
    } finally {
      await world.disk.free();
    }
  },
};

const storeFaults = ['INSUFFICIENT_CONFIRMATIONS', 'REGISTRY_UNAVAILABLE'] as const;

/** Storage nodes do not confirm, which leaves a blob paid for but not certified. */
export const storageNodesFail: Fault = {
  kind: 'storage nodes do not confirm',
  weight: 2,
  async run(world, random) {
    const before = failedStores(world.relayers);
    const fault = { operation: 'store', fault: pick(random, storeFaults), count: between(random, 1, 3) };
    const end = await storeFault(world, fault).catch(() => undefined);
    if (!end) return false;
    try {
      return await until(() => failedStores(world.relayers) > before, patienceMs);
    } finally {
      await end();
    }
  },
};

const jumpsMs = [-24 * 3_600_000, -3_600_000, -600_000, -30_000, 30_000, 600_000, 3_600_000, 24 * 3_600_000];
/** A larger difference between a relayer's Date header, in whole seconds, and our clock counts as a jump */
const minJumpMs = 15_000;

/** How long calls may still fail afterwards: a client that has learned the wrong time may be in the middle of a call */
const aftermathMs = 15_000;

function putClockWrong({ relayers, clock }: FaultWorld, random: Random) {
  const { clockFile, url } = pick(random, relayers);
  clock.wrongUntil = Number.POSITIVE_INFINITY;
  writeFileSync(clockFile, String(pick(random, jumpsMs)));
  return {
    isSeen: () =>
      until(async () => {
        const { headers } = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) });
        return Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) > minJumpMs;
      }, patienceMs),
    end() {
      rmSync(clockFile, { force: true });
      clock.wrongUntil = Date.now() + aftermathMs;
    },
  };
}

/** Nonces are lost while a relayer with a wrong clock records the time of the loss. */
export const redisKilledAtWrongTime: Fault = {
  kind: "kill redis while a relayer's clock is wrong",
  weight: 2,
  async run(world, random) {
    const wrong = putClockWrong(world, random);
    try {
      if (!(await wrong.isSeen())) return false;
      const happened = await world.redis.kill(0);
      await world.redis.up();
      // Gives that relayer time to check the restarted Redis
      await pause(between(random, 500, 2_000));
      return happened;
    } finally {
      wrong.end();
    }
  },
};

export const clockJumps: Fault = {
  kind: "a relayer's clock jumps",
  weight: 4,
  async run(world, random) {
    const wrong = putClockWrong(world, random);
    try {
      const happened = await wrong.isSeen();
      if (happened) await pause(between(random, 500, 3_000));
      return happened;
    } finally {
      wrong.end();
    }
  },
};
