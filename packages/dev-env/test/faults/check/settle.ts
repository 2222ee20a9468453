import { rmSync } from 'node:fs';
import { until } from '../inject/until.ts';
import type { FaultWorld } from '../world/fault-world.ts';

/** Jobs that are tried again after a minute, leases of killed relayers, and a start of everything */
const mostMs = 240_000;

/** Waits until all parts run, say that they are ready, and no job is under way. Returns what did not come to rest. */
export async function settle(world: FaultWorld): Promise<string[]> {
  for (const { clockFile } of world.relayers) rmSync(clockFile, { force: true });
  await world.disk?.free();
  const parts = [world.postgres, world.redis, world.localnet, world.blobstore, ...world.relayers];
  await Promise.all(parts.map((part) => part.up()));
  const unrest: string[] = [];
  for (const { name, url } of world.relayers) {
    const isReady = async () =>
      (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).status === 200;
    if (!(await until(isReady, mostMs))) unrest.push(`${name} does not become ready`);
  }
  if (!(await until(async () => (await running(world)) === 0, mostMs)))
    unrest.push(`${await running(world)} jobs are still running`);
  return unrest;
}

async function running({ database }: FaultWorld): Promise<number> {
  const { rows } = await database.query<{ left: number }>(
    "SELECT count(*)::int AS left FROM memory_job WHERE status = 'running'",
  );
  return rows[0]!.left;
}
