import { JobFailedError } from '@memrelay/sdk/errors';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';

/** Tests a local system whose blob store has little capacity. */

/** Time for five attempts and the pauses between them */
const attemptsMs = 120_000;

let system: PrivateSystem;
beforeAll(async () => {
  system = await startPrivateSystem({ environment: { BLOBSTORE_MAX_STORE_BYTES: '100000' } });
});
afterAll(() => system?.dispose());

test('fails a memory that does not fit with a job error that names the cause', {
  timeout: 180_000,
}, async () => {
  const client = MemRelay.fromCredentials(system.credentials);
  await client.rememberAndWait('a memory that fits');
  const { jobId } = await client.remember('a memory that does not fit '.repeat(20_000));
  await expect
    .poll(async () => (await client.job(jobId)).errorCode, { timeout: attemptsMs })
    .toBe('store_full');
  // Stored memories stay readable, and smaller ones are still accepted
  await client.rememberAndWait('another memory that fits');
  expect((await client.recall('what fits?')).results.length).toBeGreaterThan(0);
  const failure = await client.waitForJob(jobId, { timeoutMs: attemptsMs }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(JobFailedError);
  expect((failure as Error).message).toContain('The blob store has no room');
  client.destroy();
});
