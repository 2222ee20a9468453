import type { RunningPart } from '@memrelay/process/start-part';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAuthenticatedPublisher } from '../../src/authenticated-publisher.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests a publisher that accepts a store only with a token for exactly that store. The sidecar creates the token. */

const secret = 'a-secret-of-publisher-and-relayer';
let network: TestNetwork;
let backend: TestBackend;
let publisher: RunningPart;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  publisher = (await startAuthenticatedPublisher(network, secret)).part;
});
afterAll(async () => {
  await publisher?.stop();
  await Promise.all([network?.close(), backend?.drop()]);
});

async function startWith(jwtSecret: string): Promise<TestRelayer> {
  return startTestRelayer(network, {
    ...backend,
    environment: {
      STORE_PUBLISHER_URL: publisher.url,
      STORE_AGGREGATOR_URL: publisher.url,
      STORE_PUBLISHER_JWT_SECRET: jwtSecret,
    },
  });
}

test('stores memories with the shared secret', async () => {
  const [relayer, owner] = await Promise.all([startWith(secret), createTestOwner(network)]);
  const client = owner.client(relayer.url);
  await client.rememberAndWait('stored with a token of its own');
  expect((await client.recall('what was stored?', { minScore: -1 })).results).toHaveLength(1);
  expect(relayer.logs()).not.toContain(secret);
  client.destroy();
  await relayer.stop();
});

test('stores nothing with another secret, and logs who rejected it', async () => {
  const [relayer, owner] = await Promise.all([startWith('another-secret'), createTestOwner(network)]);
  const client = owner.client(relayer.url);
  const { jobId } = await client.remember('not stored');
  await expect.poll(() => relayer.logs(), { timeout: 20_000 }).toContain('the publisher answered 401');
  expect(await client.job(jobId)).toMatchObject({ status: 'running' });
  client.destroy();
  await relayer.stop();
});
