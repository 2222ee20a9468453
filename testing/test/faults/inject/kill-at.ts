import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { PoolClient } from 'pg';
import type { FaultRelayer, FaultWorld } from '../world/fault-world.ts';
import type { Armed } from '../world/http-proxy.ts';
import { storeFault } from './admin.ts';
import { type Fault, pick } from './fault.ts';
import { kill, victims } from './kill.ts';
import { inTime, until } from './until.ts';

/** Where a memory stands when a process is killed. */
interface Checkpoint {
  name: string;
  /** Holds a memory of this relayer there. False when none came; `letGo` is called in the end whatever came. */
  hold(world: FaultWorld, relayer: FaultRelayer, letGo: (end: () => unknown) => void): Promise<boolean>;
}

const patienceMs = 8_000;

/** Met by a request that is held back from then on. */
async function heldBack(armed: Armed, letGo: (end: () => unknown) => void): Promise<boolean> {
  letGo(armed.release);
  return inTime(armed.met, patienceMs);
}

/**
 * Lets an answer through while this process has the jobs of that stage locked: whoever writes down what it has heard
 * stands there. Resolves when somebody does.
 */
async function lockedWhenHeard(
  world: FaultWorld,
  stage: 'embedding' | 'uploading',
  answer: Armed,
  letGo: (end: () => unknown) => void,
): Promise<boolean> {
  if (!(await heldBack(answer, letGo))) return false;
  const client: PoolClient = await world.database.connect();
  // Broken, when it is Postgres that is killed
  client.on('error', () => undefined);
  letGo(() => client.release(true));
  await client.query('BEGIN');
  await client.query(
    "SELECT 1 FROM memory_job WHERE status = 'running' AND stage = $1 FOR UPDATE SKIP LOCKED",
    [stage],
  );
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  answer.release();
  return until(async () => {
    const waiting = await world.database.query(
      'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
      [rows[0]!.pid],
    );
    return (waiting.rowCount ?? 0) > 0;
  }, patienceMs);
}

async function paysForBlobs({ network, payer }: FaultWorld): Promise<boolean> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  for await (const { certified } of ownedBlobs(network.chain, walrus, payer)) if (!certified) return true;
  return false;
}

export const checkpoints: readonly Checkpoint[] = [
  {
    name: 'accepted',
    async hold(world, _, letGo) {
      // Whoever embeds is busy, so that what is accepted now waits
      for (const { provider } of world.relayers)
        letGo(provider.arm('POST', { kind: 'hold-request' }, 1_000).release);
      return until(async () => {
        const { rowCount } = await world.database.query(
          "SELECT 1 FROM memory_job WHERE status = 'running' AND stage = 'queued' AND lease_token IS NULL",
        );
        return (rowCount ?? 0) > 0;
      }, patienceMs);
    },
  },
  {
    name: 'embedding',
    hold: (_, { provider }, letGo) => heldBack(provider.arm('POST', { kind: 'hold-request' }), letGo),
  },
  {
    name: 'embedded, not written',
    hold: (world, { provider }, letGo) =>
      lockedWhenHeard(world, 'embedding', provider.arm('POST', { kind: 'hold-answer' }), letGo),
  },
  {
    name: 'claimed for upload',
    hold: (_, { publisher }, letGo) => heldBack(publisher.arm('PUT', { kind: 'hold-request' }), letGo),
  },
  {
    name: 'paid, not certified',
    async hold(world, _, letGo) {
      const fault = { operation: 'store', fault: 'SLOW', delayMs: 5_000, count: 1, durationMs: patienceMs };
      letGo(await storeFault(world, fault));
      return until(() => paysForBlobs(world), patienceMs);
    },
  },
  {
    name: 'stored, not heard',
    hold: (_, { publisher }, letGo) => heldBack(publisher.arm('PUT', { kind: 'hold-answer' }), letGo),
  },
  {
    name: 'heard, not written',
    hold: (world, { publisher }, letGo) =>
      lockedWhenHeard(world, 'uploading', publisher.arm('PUT', { kind: 'hold-answer' }), letGo),
  },
];

/** Each victim at each of them. */
export const killsAtCheckpoints: readonly Fault[] = checkpoints.flatMap(({ name, hold }) =>
  victims.map(
    (victim): Fault => ({
      kind: `kill ${victim} at "${name}"`,
      weight: 1,
      async run(world, random) {
        const relayer = pick(random, world.relayers);
        const ends: (() => unknown)[] = [];
        try {
          const isThere = await hold(world, relayer, (end) => void ends.push(end)).catch(() => false);
          return isThere && (await kill(world, victim, relayer, random));
        } finally {
          for (const end of ends.reverse()) await Promise.resolve(end()).catch(() => undefined);
        }
      },
    }),
  ),
);
