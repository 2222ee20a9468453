import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { exportBundle } from '@memrelay/sdk/bundle/export-bundle';
import { importBundle } from '@memrelay/sdk/bundle/import-bundle';
import { openBundle } from '@memrelay/sdk/bundle/open-bundle';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that a tenant with large memories who sends as many requests as possible does not slow down another tenant. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let heavy: TestOwner;
let heavyClient: MemRelay;
/** A client that tries each request once, so that rejections are visible */
let light: MemRelay;
const recipient = Buffer.from(nodePrimitives.x25519PublicKey(new Uint8Array(32).fill(7))).toString('hex');
const largeTexts = 8;
const passphrase = 'correct horse battery staple';
const paragraph =
  'The keeper of the lighthouse writes down the weather, the ships and the birds of the day. ';
const small = ['Rosa waters the lemon tree on Mondays.', 'The ferry leaves at nine.', 'Ines lives in Porto.'];

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  relayer = await startTestRelayer(network, backend);
  const [first, second] = await Promise.all([createTestOwner(network), createTestOwner(network)]);
  heavy = first;
  heavyClient = heavy.client(relayer.url);
  light = second.client(relayer.url, { maxAttempts: 1 });
  const large = Array.from({ length: largeTexts }, (_, i) => ({
    text: `Book ${i}. ${paragraph.repeat(11_000)}`,
    namespace: 'books',
  }));
  await Promise.all([
    heavyClient.rememberBulkAndWait(large, { timeoutMs: 120_000 }),
    light.rememberBulkAndWait(small.map((text) => ({ text }))),
  ]);
}, 240_000);
afterAll(async () => {
  heavyClient?.destroy();
  light?.destroy();
  await relayer?.stop();
  await Promise.all([network?.close(), backend?.drop()]);
});

const exportAll = (client: MemRelay) => client.exportPage({ limit: 100, recipient_pk: recipient });
const recallBooks = () => heavyClient.recall('lighthouse birds', { namespace: 'books', limit: 100 });

interface Load {
  total: number;
  /** Resolves with all answers */
  all: Promise<unknown[]>;
  /** How many requests have not ended */
  open(): number;
}

function load(requests: readonly Promise<unknown>[]): Load {
  let open = requests.length;
  const ended = requests.map((request) => request.finally(() => void open--));
  return { total: requests.length, all: Promise.all(ended), open: () => open };
}

/** 26 requests of all kinds, four at a time; returns for each how many requests of `heavy` ended while it ran. */
async function useAll(client: MemRelay, heavy?: Load): Promise<number[]> {
  const kinds: (() => Promise<unknown>)[] = [
    () => exportAll(client),
    () => client.recall('where does Ines live?'),
    () => client.stats(),
    () => client.memories().next(),
    () => client.remember(`It is ${performance.now()} now.`),
    () => client.account(),
  ];
  const waited: number[] = [];
  let next = 0;
  const user = async (): Promise<void> => {
    while (next < 26) {
      const request = kinds[next++ % kinds.length]!;
      const before = heavy?.open() ?? 0;
      await request();
      waited.push(before - (heavy?.open() ?? 0));
    }
  };
  await Promise.all(Array.from({ length: 4 }, user));
  return waited;
}

/** In order of arrival, the first request would wait for everything before it. It waits for 0 to 8 requests (measured). */
function expectFair(waited: readonly number[], heavy: Load): void {
  expect(waited).toHaveLength(26);
  expect(heavy.open()).toBeGreaterThan(0);
  expect(Math.max(...waited)).toBeLessThan(heavy.total * 0.75);
}

test('serves all 24 exports of one tenant, and 26 requests of another in the meantime', async () => {
  const exports = load(Array.from({ length: 24 }, () => exportAll(heavyClient)));
  const waited = await useAll(light, exports);
  expectFair(waited, exports);
  const pages = (await exports.all) as Awaited<ReturnType<typeof exportAll>>[];
  for (const page of pages) expect(page.memories.length).toBeGreaterThan(0);
}, 240_000);

test("serves another tenant during one tenant's large recalls, imports and restores", async () => {
  const parts: Uint8Array[] = [];
  const bundling = { passphrase, scryptLogN: 10, primitives: nodePrimitives, namespace: 'books' };
  for await (const part of exportBundle(heavyClient, bundling)) parts.push(part);
  const bytes = Buffer.concat(parts);
  const importAll = async (): Promise<void> => {
    const whole = async function* () {
      yield bytes;
    };
    const bundle = await openBundle(whole, passphrase, nodePrimitives);
    for await (const _ of importBundle(heavyClient, bundle, { primitives: nodePrimitives }));
  };
  const recalls = Array.from({ length: 12 }, recallBooks);
  const work = load([
    ...recalls,
    ...Array.from({ length: 4 }, importAll),
    ...Array.from({ length: 4 }, () => heavyClient.restore({ namespace: 'books', once: true })),
  ]);
  const waited = await useAll(light, work);
  expectFair(waited, work);
  await work.all;
  for (const recalled of recalls) expect((await recalled).results).toHaveLength(largeTexts);
}, 240_000);

test('limits the recalls of one account to 32 MiB, even if a client does not read its responses', async () => {
  const reading = Promise.withResolvers<void>();
  let begun = 0;
  // Another name of the same host, so that the connections are new: the buffers of a connection that was read fast
  // grow
  const slow = heavy.client(relayer.url.replace('127.0.0.1', 'localhost'), {
    maxAttempts: 20,
    deadlineMs: 180_000,
    timeoutMs: 120_000,
    fetch: async (...call) => {
      const answer = await fetch(...call);
      if (!answer.ok) return answer;
      begun += 1;
      await reading.promise;
      return answer;
    },
  });
  const recalls = Array.from({ length: 20 }, () =>
    slow.recall('lighthouse birds', { namespace: 'books', limit: 100 }),
  );
  // Each is almost 8 MiB, more than a socket's buffers hold: there is room for four
  await expect.poll(() => begun, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  expect(await useAll(light)).toHaveLength(26);
  expect(begun).toBeLessThanOrEqual(5);
  reading.resolve();
  for (const { results } of await Promise.all(recalls)) expect(results).toHaveLength(largeTexts);
  slow.destroy();
}, 300_000);
