import { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';

/** A local system whose blob store may hold little. */

let system: PrivateSystem;
beforeAll(async () => {
  system = await startPrivateSystem({ environment: { BLOBSTORE_MAX_STORE_BYTES: '100000' } });
});
afterAll(() => system?.dispose());

test('a memory that does not fit fails with a job error that says so', async () => {
  const client = MemRelay.fromCredentials(system.credentials);
  await client.rememberAndWait('a memory that fits');
  const { jobId } = await client.remember('a memory that does not fit '.repeat(20_000));
  await expect
    .poll(() => client.job(jobId), { timeout: 60_000 })
    .toMatchObject({ status: 'failed', error_code: 'store_full', error: expect.stringContaining('no room') });
  // What is stored stays readable, and what fits is still taken
  await client.rememberAndWait('another memory that fits');
  expect((await client.recall('what fits?')).results.length).toBeGreaterThan(0);
  client.destroy();
});
