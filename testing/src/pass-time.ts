import { Client } from 'pg';
import type { TestRelayer } from './test-relayer.ts';

/**
 * Ends what killed relayers have leased, as the next 15 seconds would: for a database whose relayers are all dead. On the
 * embedded database that is what the next relayer does at its start.
 */
export function endLeases(relayer: TestRelayer): Promise<void> {
  return update(
    relayer,
    ['memory_job', 'upload_wallet', 'shared_task'].map(
      (table) => `UPDATE ${table} SET lease_until = now() WHERE lease_until IS NOT NULL`,
    ),
  );
}

/** Makes all waiting retries and periodic work due: uploads, embeddings, shared tasks. Postgres only. */
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
