import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { PoolClient } from 'pg';
import type { FaultRelayer, FaultWorld } from '../world/fault-world.ts';
import type { Armed } from '../world/http-proxy.ts';
import { storeFault } from './admin.ts';
import { type Fault, pick } from './fault.ts';
import { kill, victims } from './kill.ts';
import { inTime, until } from './until.ts';

/** The stage of a memory when a process is killed. */
interface Checkpoint {
  name: string;
  /**
   * Holds a memory of this relayer in that stage. False if none arrived. Functions passed to `onRelease` run at the end in any
   * case.
   */
  hold(world: FaultWorld, relayer: FaultRelayer, onRelease: (end: () => unknown) => void): Promise<boolean>;
}

const patienceMs = 8_000;

/** Waits for a request, which is then held. False if none arrives in time. */
async function untilHeld(armed: Armed, onRelease: (end: () => unknown) => void): Promise<boolean> {
  onRelease(armed.release);
  return inTime(armed.met, patienceMs);
}

/**
 * Lets a response through while this process has locked the jobs of that stage, so that the relayer blocks when it
 * writes the result. Resolves when it is blocked.
 */
async function blockedOnWrite(
  world: FaultWorld,
  stage: 'embedding' | 'uploading',
  answer: Armed,
  onRelease: (end: () => unknown) => void,
): Promise<boolean> {
  if (!(await untilHeld(answer, onRelease))) return false;
  const client: PoolClient = await world.database.connect();
  // The connection breaks if Postgres is the victim
  client.on('error', () => undefined);
  onRelease(() => client.release(true));
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
    async hold(world, _, onRelease) {
      // Keeps the embedding workers busy, so that newly accepted memories wait
      for (const { provider } of world.relayers)
        onRelease(provider.arm('POST', { kind: 'hold-request' }, 1_000).release);
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
    hold: (_, { provider }, onRelease) =>
      untilHeld(provider.arm('POST', { kind: 'hold-request' }), onRelease),
  },
  {
    name: 'embedded, not written',
    hold: (world, { provider }, onRelease) =>
      blockedOnWrite(world, 'embedding', provider.arm('POST', { kind: 'hold-answer' }), onRelease),
  },
  {
    name: 'claimed for upload',
    hold: (_, { publisher }, onRelease) =>
      untilHeld(publisher.arm('PUT', { kind: 'hold-request' }), onRelease),
  },
  {
    name: 'paid, not certified',
    async hold(world, _, onRelease) {
      const fault = { operation: 'store', fault: 'SLOW', delayMs: 5_000, count: 1, durationMs: patienceMs };
      onRelease(await storeFault(world, fault));
      return until(() => paysForBlobs(world), patienceMs);
    },
  },
  {
    name: 'stored, not reported',
    hold: (_, { publisher }, onRelease) =>
      untilHeld(publisher.arm('PUT', { kind: 'hold-answer' }), onRelease),
  },
  {
    name: 'reported, not written',
    hold: (world, { publisher }, onRelease) =>
      blockedOnWrite(world, 'uploading', publisher.arm('PUT', { kind: 'hold-answer' }), onRelease),
  },
];

/** A kill of each victim at each checkpoint. */
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
