import { rmSync } from 'node:fs';
import { until } from '../inject/until.ts';
import type { FaultWorld } from '../world/fault-world.ts';

/** Enough for jobs that are retried after a minute, leases of killed relayers, and a restart of everything */
const timeoutMs = 240_000;

/** Waits until all parts run and report ready, and no job is running. Returns the conditions that were not reached in time. */
export async function settle(world: FaultWorld): Promise<string[]> {
  for (const { clockFile } of world.relayers) rmSync(clockFile, { force: true });
  await world.disk?.free();
  const parts = [world.postgres, world.redis, world.localnet, world.blobstore, ...world.relayers];
  await Promise.all(parts.map((part) => part.up()));
  const unrest: string[] = [];
  for (const { name, url } of world.relayers) {
    const isReady = async () =>
      (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).status === 200;
    if (!(await until(isReady, timeoutMs))) unrest.push(`${name} does not become ready`);
  }
  if (!(await until(async () => (await running(world)) === 0, timeoutMs)))
    unrest.push(`${await running(world)} jobs are still running`);
  if (!(await until(async () => (await sharedQuilts(world)) === 0, repackMs)))
    unrest.push(`${await sharedQuilts(world)} forgotten memories still share a quilt with others`);
  const late = world.relayers.map(({ publisher }) => publisher);
  await until(() => late.every((proxy) => proxy.lateRequests() === 0), timeoutMs);
  if (!(await until(() => orphanSearch(world), timeoutMs)))
    unrest.push('no relayer searches for orphaned objects');
  return unrest;
}

/** Makes the search for orphaned objects due immediately. True when no owner's objects are left to check. */
async function orphanSearch({ database }: FaultWorld): Promise<boolean> {
  const task = "name = 'look for stray objects'";
  const { rows: before } = await database.query<{ at: Date }>('SELECT now() AS at');
  const isDone = async () => {
    const { rows } = await database.query(
      `SELECT 1 FROM shared_task WHERE ${task} AND lease_token IS NULL AND due_at > $1`,
      [before[0]!.at],
    );
    return rows.length > 0;
  };
  await database.query(`UPDATE shared_task SET due_at = least(due_at, now()) WHERE ${task}`);
  // The first round lists the accounts, and the next one checks the objects of their owners
  await until(isDone, roundMs);
  const { rowCount } = await database.query('UPDATE stray_look SET due_at = now() WHERE looks = 0');
  return rowCount === 0;
}

const roundMs = 30_000;

async function running({ database }: FaultWorld): Promise<number> {
  const { rows } = await database.query<{ left: number }>(
    "SELECT count(*)::int AS left FROM memory_job WHERE status = 'running'",
  );
  return rows[0]!.left;
}

/** Memories with unreadable blobs wait for ten minutes before they are stored again */
const repackMs = 720_000;

/**
 * Number of forgotten memories whose quilts have to be repacked without them. Makes repacking due immediately, which would
 * otherwise wait an hour after a failed upload.
 */
async function sharedQuilts({ database }: FaultWorld): Promise<number> {
  await database.query(
    `UPDATE memory_job SET updated_at = now() - interval '2 hours'
     WHERE status = 'failed' AND checkpoint ->> 'renews' IS NOT NULL AND updated_at > now() - interval '1 hour'`,
  );
  const { rows } = await database.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM forgotten_memory WHERE shared',
  );
  return rows[0]!.left;
}
