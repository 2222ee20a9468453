import { cpus, totalmem } from 'node:os';
import { findPostgres } from '@memrelay/dev-env/services/find-postgres';
import type { Client } from 'pg';

/** Properties of the machine that affect the figures. Contains no host name, because results are published. */
export interface MachineFacts {
  cpuModel: string;
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  postgres: string | undefined;
  pgvector: string | undefined;
}

export async function machineFacts(): Promise<MachineFacts> {
  const install = await findPostgres();
  return {
    cpuModel: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    postgres: install && String(install.major),
    pgvector: install?.pgvector,
  };
}

/** The current `fsync` and related settings, which must be on for figures about durable writes. */
export async function durability(client: Client): Promise<Record<string, string>> {
  const names = ['fsync', 'synchronous_commit', 'shared_buffers'];
  const { rows } = await client.query<{ name: string; setting: string; unit: string | null }>(
    'SELECT name, setting, unit FROM pg_settings WHERE name = ANY($1)',
    [names],
  );
  return Object.fromEntries(
    rows.map(({ name, setting, unit }) => [name, `${setting}${unit ? ` × ${unit}` : ''}`]),
  );
}
