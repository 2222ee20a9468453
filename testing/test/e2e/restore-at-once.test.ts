import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests two relayers with separate databases for one account: each can immediately restore memories stored by the other. */

let network: TestNetwork;
let chain: { url: string; server: Server; paths: string[] };
let backends: TestBackend[];
let relayers: TestRelayer[];
let owner: TestOwner;

/** Starts a proxy between a relayer and the chain, to count the queries. */
async function startChainProxy(target: string): Promise<typeof chain> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    const outgoing = send(`${target}${request.url}`, { method: request.method!, headers: request.headers });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    request.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

beforeAll(async () => {
  network = await startTestNetwork();
  [chain, owner, ...backends] = await Promise.all([
    startChainProxy(network.chainUrl),
    createTestOwner(network),
    createTestBackend(),
    createTestBackend(),
  ]);
  const [first, second] = backends as [TestBackend, TestBackend];
  relayers = await Promise.all([
    startTestRelayer(network, first),
    // The same writer keys, so that each trusts the other's envelopes
    startTestRelayer(network, {
      ...second,
      keys: { ...second.keys, MEM_WRITER_KEYS: first.keys.MEM_WRITER_KEYS },
      environment: { CHAIN_RPC_URL: chain.url },
    }),
  ]);
});
afterAll(async () => {
  await Promise.all(relayers?.map((relayer) => relayer.stop()) ?? []);
  chain?.server.closeAllConnections();
  chain?.server.close();
  await Promise.all([network?.close(), ...(backends?.map((backend) => backend.drop()) ?? [])]);
});

const at = (i: number) => owner.client(relayers[i]!.url);
const restore = (i: number, namespace: string, limit?: number) =>
  at(i).restore({ namespace, once: true, ...(limit === undefined ? {} : { limit }) });
const listings = () => chain.paths.filter((path) => path.endsWith('/ListOwnedObjects')).length;

test('finds memories stored a moment ago, even after a restore that found nothing', async () => {
  expect(await restore(1, 'diary')).toMatchObject({ total: 0 });
  await at(1).rememberAndWait('the first entry', { namespace: 'diary' });
  expect(await restore(1, 'diary')).toMatchObject({ restored: 0, skipped: 1, total: 1 });
});

test('restores what another relayer stored immediately, after every store', async () => {
  expect(await restore(1, 'shared')).toMatchObject({ total: 0 });
  for (const count of [1, 2, 3]) {
    await at(0).rememberAndWait(`entry ${count} of the other relayer`, { namespace: 'shared' });
    const before = Date.now();
    const answer = await restore(1, 'shared');
    expect(answer).toMatchObject({ restored: 1, skipped: count - 1, total: count });
    expect(answer).not.toHaveProperty('more');
    // By the database's clock, which is this machine's
    expect(Date.parse(answer.asOf!)).toBeGreaterThanOrEqual(before - 50);
  }
  const { results } = await at(1).recall('what did the other relayer store?', { namespace: 'shared' });
  expect(results).toHaveLength(3);
});

test('lists the chain twice for a restore in many calls, and once for a repeated one', async () => {
  const texts = Array.from({ length: 6 }, (_, i) => ({ text: `page ${i} of the album`, namespace: 'album' }));
  await at(0).rememberBulkAndWait(texts);
  const before = listings();
  const answers: Awaited<ReturnType<typeof restore>>[] = [];
  do answers.push(await restore(1, 'album', 1));
  while (answers.at(-1)!.more);
  expect(answers.map(({ restored }) => restored)).toEqual([1, 1, 1, 1, 1, 1]);
  const afterAllCalls = listings();
  const inOne = afterAllCalls - before;
  await restore(1, 'album');
  const each = listings() - afterAllCalls;
  expect(each).toBeGreaterThan(0);
  expect(inOne).toBe(2 * each);
});
