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

/** One tenant with large memories sends as many requests as it can; another with small ones must not notice. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let heavy: TestOwner;
let heavyClient: MemRelay;
/** Tries each request once, so that a rejection is seen */
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

/** 26 requests of each read and write route, four at a time; returns their durations in ms. */
async function useAll(client: MemRelay): Promise<number[]> {
  const kinds: (() => Promise<unknown>)[] = [
    () => exportAll(client),
    () => client.recall('where does Ines live?'),
    () => client.stats(),
    () => client.memories().next(),
    () => client.remember(`It is ${performance.now()} now.`),
    () => client.account(),
  ];
  const times: number[] = [];
  let next = 0;
  const user = async (): Promise<void> => {
    while (next < 26) {
      const request = kinds[next++ % kinds.length]!;
      const began = performance.now();
      await request();
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: 4 }, user));
  return times;
}
const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Counts those that have not settled. */
function track(requests: readonly Promise<unknown>[]) {
  let open = requests.length;
  const ended = requests.map((request) => request.finally(() => void open--));
  return { ended: Promise.all(ended), open: () => open };
}

test('serves all 24 exports of one tenant, and 26 requests of another in the meantime', async () => {
  const idle = median(await useAll(light));
  const exports = track(Array.from({ length: 24 }, () => exportAll(heavyClient)));
  const times = await useAll(light);
  expect(times).toHaveLength(26);
  // In order of arrival they would have been last
  expect(exports.open()).toBeGreaterThan(0);
  expect(median(times)).toBeLessThan(idle * 40);
  const pages = (await exports.ended) as Awaited<ReturnType<typeof exportAll>>[];
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
  const idle = median(await useAll(light));
  const recalls = Array.from({ length: 12 }, recallBooks);
  const work = track([
    ...recalls,
    ...Array.from({ length: 4 }, importAll),
    ...Array.from({ length: 4 }, () => heavyClient.restore({ namespace: 'books', once: true })),
  ]);
  const times = await useAll(light);
  expect(times).toHaveLength(26);
  expect(work.open()).toBeGreaterThan(0);
  expect(median(times)).toBeLessThan(idle * 40);
  await work.ended;
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
