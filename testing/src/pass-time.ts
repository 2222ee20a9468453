import { Client } from 'pg';
import type { TestRelayer } from './test-relayer.ts';

/**
 * Expires the leases of killed relayers, as the next 15 seconds would: for a database without a live relayer. With
 * the embedded database, the next relayer does this at its start.
 */
export function endLeases(relayer: TestRelayer): Promise<void> {
  return update(
    relayer,
    ['memory_job', 'upload_wallet', 'shared_task'].map(
      (table) => `UPDATE ${table} SET lease_until = now() WHERE lease_until IS NOT NULL`,
    ),
  );
}

/** Makes all scheduled retries and periodic work due: uploads, embeddings, shared tasks. Postgres only. */
export function makeRetriesDue(relayer: TestRelayer): Promise<void> {
  return update(relayer, [
    "UPDATE memory_job SET run_at = now() WHERE status = 'running' AND run_at > now()",
    'UPDATE shared_task SET due_at = now() WHERE due_at > now()',
  ]);
}

async function update({ environment }: TestRelayer, statements: readonly string[]): Promise<void> {
  const url = environment.DATABASE_URL!;
  if (!url.startsWith('postgres')) return;
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
