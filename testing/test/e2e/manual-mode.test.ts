import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { rotateKeyEpoch, setRecoveryKey } from '@memrelay/chain/account-transactions';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { openRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { wrapType } from '@memrelay/envelope/wraps';
import { toHex } from '@memrelay/protocol/bytes';
import type { ManualOptions } from '@memrelay/sdk/manual/manual-types';
import { MemRelayManual } from '@memrelay/sdk/manual/mem-relay-manual';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { type FaultProxy, startFaultProxy } from '../../src/fault-proxy.ts';
import { type RecordingProxy, startRecordingProxy } from '../../src/recording-proxy.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { createTestOwner, credentialsOf, newTestKey, type TestOwner } from '../../src/test-owner.ts';

/** Tests a client that embeds and encrypts locally, with the real key servers, chain and store of the localnet. */

const providerKey = 'sk-only-for-the-provider';
const dimension = 256;
let world: RelayerWorld;
let provider: EmbeddingProvider;
let wire: RecordingProxy;
let publisher: FaultProxy;
let aggregator: RecordingProxy;
const clients: MemRelayManual[] = [];

beforeAll(async () => {
  provider = await startEmbeddingProvider();
  world = await RelayerWorld.create({
    environment: async ({ blobstoreUrl }) => {
      publisher = await startFaultProxy(blobstoreUrl);
      aggregator = await startRecordingProxy(blobstoreUrl);
      return {
        LLM_API_KEY: 'sk-of-the-relayer',
        LLM_API_BASE: provider.url,
        EMBEDDING_DIM: String(dimension),
        STORE_PUBLISHER_URL: publisher.url,
        STORE_QUILT_MAX_ITEMS: '20',
        STORE_QUILT_WINDOW_MS: '300',
        BLOB_CACHE_TTL_SECS: '0',
      };
    },
  });
  wire = await startRecordingProxy(world.relayer.url);
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await world?.close();
  await Promise.all([wire?.close(), aggregator?.close(), publisher?.close(), provider?.close()]);
});

function manual(options: Partial<ManualOptions> = {}, of: TestOwner = world.owner): MemRelayManual {
  const client = MemRelayManual.create({
    key: of.delegate.privateKey,
    accountId: of.accountId,
    packageId: world.network.info.packageId,
    serverUrl: wire.url,
    embedding: { baseUrl: provider.url, apiKey: providerKey },
    primitives: nodePrimitives,
    ...options,
  });
  clients.push(client);
  return client;
}

async function blob(blobId: string): Promise<Uint8Array> {
  const path = blobId.length === 50 ? `by-quilt-patch-id/${blobId}` : blobId;
  const response = await fetch(`${world.network.blobstoreUrl}/v1/blobs/${path}`);
  return new Uint8Array(await response.arrayBuffer());
}

describe('stores the same memories as relayer mode', () => {
  const namespace = 'shared';

  test('shares memories with relayer mode in both directions', async () => {
    const mine = manual();
    const written = await mine.rememberManual('the heron nests behind the boathouse', {
      namespace,
      importance: 0.9,
      occurredAt: '2026-02-01T12:00:00Z',
    });
    expect(written).toMatchObject({ status: 'done', blobId: expect.stringMatching(/^[\w-]{43}$/) });
    const server = world.owner.client(world.relayer.url);
    const relayed = await server.recall('where does the heron nest', { namespace });
    expect(relayed.results).toMatchObject([{ id: written.id, text: 'the heron nests behind the boathouse' }]);

    await server.rememberAndWait('the heron eats trout from the pond', { namespace });
    const { results, dropped } = await mine.recallManual('heron trout', { namespace });
    expect(dropped).toEqual([]);
    expect(results.map(({ text }) => text)).toEqual([
      'the heron eats trout from the pond',
      'the heron nests behind the boathouse',
    ]);
    expect(results[1]).toMatchObject({
      importance: 0.9,
      occurredAt: '2026-02-01T12:00:00Z',
      signer: world.owner.delegate.publicKey,
    });
    // The relayer could read with a key pair that it created, so the client never seals to one
    const published = (await server.keys()).map(({ recipientPk }) => recipientPk);
    expect(published).toHaveLength(1);
    const header = parseHeader(await blob(written.blobId!));
    expect(published).not.toContain(toHex(header.recipientPk));

    const listed = [];
    for await (const { id } of mine.memories({ namespace })) listed.push(id);
    expect(listed).toHaveLength(2);
    // A reader that trusts only the chain does not trust the relayer's own writings
    const strict = await manual({ trustRelayer: false }).recallManual('heron trout', { namespace });
    expect(strict.results.map(({ id }) => id)).toEqual([written.id]);
    expect(strict.dropped).toMatchObject([
      { reason: 'integrity', message: expect.stringContaining('untrusted_signer') },
    ]);
  });

  test("never sends a text, a question or the provider's key to the relayer", async () => {
    const mine = manual();
    const secret = 'zanzibar cinnamon ledger';
    await mine.rememberManual(secret, { namespace: 'canary' });
    const { results } = await mine.recallManual('cinnamon question of zanzibar', { namespace: 'canary' });
    expect(results.map(({ text }) => text)).toEqual([secret]);
    expect(provider.texts).toEqual(expect.arrayContaining([secret, 'cinnamon question of zanzibar']));
    const paths = new Set(wire.exchanges.map(({ path }) => path));
    expect(paths).toContain('/api/remember/manual');
    expect(paths).toContain('/api/recall/manual');
    for (const { request, requestHeaders } of wire.exchanges) {
      for (const word of ['zanzibar', 'cinnamon', 'heron', providerKey, world.owner.delegate.privateKey])
        for (const form of [word, btoa(word).slice(0, -4)]) expect(request).not.toContain(form);
      // Nor may it read for the client
      expect(requestHeaders).not.toHaveProperty('x-enc-session');
    }
    expect(world.relayer.logs()).not.toContain('zanzibar');
  });

  test('finds a memory of one megabyte by its last words and returns all of it', async () => {
    const mine = manual();
    const words = Array.from({ length: 130_000 }, (_, i) => `w${(i * 7919) % 99_991}`).join(' ');
    const text = `${words.slice(0, 1_048_500)} platypus expedition`;
    const stored = await mine.rememberManual(text, { namespace: 'large' });
    await mine.rememberManual('a short note on something else', { namespace: 'large' });
    const { results } = await mine.recallManual('platypus expedition', { namespace: 'large', limit: 1 });
    expect(results).toHaveLength(1);
    expect(results[0]!.id).toBe(stored.id);
    expect(results[0]!.text === text).toBe(true);
  });

  test('reports an outcome per text of a bulk, and reads its quilt patch by patch', async () => {
    const texts = ['birch bark canoe', 'maple syrup bucket', ' ', 'cedar smoke house'];
    const outcomes = await manual().rememberManual(texts, { namespace: 'many' });
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'failed', 'done']);
    expect(outcomes[2]).toMatchObject({ error: { code: 'invalid_argument' } });
    const { results, dropped } = await manual().recallManual('maple bucket', { namespace: 'many' });
    expect(dropped).toEqual([]);
    expect(results.map(({ text }) => text).sort()).toEqual(texts.filter((text) => text !== ' ').sort());
    expect(results.filter(({ blobId }) => blobId?.length === 50).length).toBeGreaterThan(1);
    const near = await manual().recallManual('maple syrup bucket', { namespace: 'many', maxDistance: 0.3 });
    expect(near.results.map(({ text }) => text)).toEqual(['maple syrup bucket']);
  });

  test('runs the program of the documentation with the documented results', async () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const page = await readFile(join(root, 'docs/manual-mode.md'), 'utf8');
    const program = /```ts\n(.*?)```/s.exec(page)![1];
    const credentials = credentialsOf(world.network, world.owner, wire.url);
    await writeFile(join(world.network.dataDir, 'credentials.json'), JSON.stringify(credentials), {
      mode: 0o600,
    });
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'];
    const env = {
      HOME: world.network.dataDir,
      MEM_DATA_DIR: world.network.dataDir,
      LLM_API_BASE: provider.url,
    };
    const child = spawn(process.execPath, flags, { cwd: root, env: { PATH: process.env.PATH, ...env } });
    child.stdin.end(program);
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^stored as [\w-]{43}\n0\.\d{3} The heron nests behind the boathouse\.\n$/);
  });

  test('finds a memory while its upload waits, and stores nothing twice for a repeated call', async () => {
    const mine = manual();
    publisher.fault = { method: 'PUT', kind: 503 };
    const options = { namespace: 'pending', waitForDone: false, idempotencyKey: 'once' };
    const first = await mine.rememberManual('the ferry waits for the tide', options);
    expect(first).toEqual({ status: 'running', id: expect.any(String) });
    // Sealed again by a client that knows nothing of the first call, as after a crash
    expect(await manual().rememberManual('the ferry waits for the tide', options)).toEqual(first);
    await expect(manual().rememberManual('another text', options)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    const { results } = await mine.recallManual('ferry tide', { namespace: 'pending' });
    expect(results).toMatchObject([{ id: first.id, text: 'the ferry waits for the tide', pending: true }]);
    const stored = await mine.recallManual('ferry', { namespace: 'pending', includePending: false });
    expect(stored.results).toEqual([]);
    publisher.fault = undefined;
  });
});

describe('readers and trust', () => {
  const namespace = 'guarded';
  const text = 'the vault opens at noon';
  let written: { id: string; blobId?: string };
  beforeAll(async () => {
    written = await manual().rememberManual(text, { namespace });
  });

  test('rejects bytes that do not match the blob from any aggregator, and tries another one', async () => {
    const other = await manual().rememberManual('the vault opens at midnight', { namespace: 'decoy' });
    const lie = Buffer.from(await blob(other.blobId!));
    aggregator.change = () => lie;
    const lying = { aggregatorUrls: [aggregator.url] };
    for (const checkBlobIds of [false, true]) {
      const deceived = await manual({ network: lying, checkBlobIds }).recallManual('vault', { namespace });
      expect(deceived.results).toEqual([]);
      expect(deceived.dropped).toMatchObject([{ id: written.id, reason: 'wrong_bytes' }]);
    }
    const both = { aggregatorUrls: [aggregator.url, world.network.blobstoreUrl] };
    const read = await manual({ network: both }).recallManual('vault', { namespace });
    expect(read.results.map((hit) => hit.text)).toEqual([text]);
    aggregator.change = undefined;
    // An index without a digest: then the id is computed from the bytes
    wire.change = ({ path, answer }) =>
      path === '/api/recall/manual' ? Buffer.from(answer.toString().replace(/,"sha256":"\w+"/g, '')) : answer;
    const honest = await manual({ network: lying }).recallManual('vault', { namespace });
    expect(honest.results.map((hit) => hit.text)).toEqual([text]);
    aggregator.change = () => lie;
    const caught = await manual({ network: lying }).recallManual('vault', { namespace });
    expect(caught.dropped).toMatchObject([{ reason: 'wrong_bytes' }]);
    aggregator.change = undefined;
    wire.change = undefined;
  });

  test("reads with the owner's wallet after one signature, while key servers reject an unknown wallet", async () => {
    const wallet = parsePrivateKey(world.owner.wallet.privateKey);
    let signed = 0;
    const client = manual({
      wallet: {
        toSuiAddress: () => wallet.toSuiAddress(),
        signPersonalMessage(message) {
          signed += 1;
          return wallet.signPersonalMessage(message);
        },
      },
    });
    for (const query of ['vault', 'noon'])
      expect((await client.recallManual(query, { namespace })).results).toMatchObject([{ text }]);
    expect(signed).toBe(1);
    const stranger = parsePrivateKey(newTestKey().privateKey);
    await expect(manual({ wallet: stranger }).recallManual('vault', { namespace })).rejects.toMatchObject({
      code: 'decrypt_denied',
    });
  });

  test('seals under a new key epoch with the next client, and an older client can read it', async () => {
    const early = manual();
    await early.recallManual('vault', { namespace });
    await world.owner.execute(rotateKeyEpoch(world.network.info.packageId, world.owner.accountId));
    const late = await manual().rememberManual('the vault has a new lock', { namespace });
    expect(parseHeader(await blob(late.blobId!)).keyEpoch).toBe(1n);
    const { results, dropped } = await early.recallManual('vault', { namespace });
    expect(dropped).toEqual([]);
    expect(results.map((hit) => hit.text).sort()).toEqual(['the vault has a new lock', text]);
  });

  test("seals to the account's recovery key as well, if it has one", async () => {
    const recovery = nodePrimitives.randomBytes(32);
    const recoveryPk = nodePrimitives.x25519PublicKey(recovery);
    await world.owner.execute(
      setRecoveryKey(world.network.info.packageId, world.owner.accountId, recoveryPk),
    );
    const stored = await manual().rememberManual('the spare key is under the stone', { namespace });
    const header = parseHeader(await blob(stored.blobId!));
    const wrap = header.wraps.find(({ type }) => type === wrapType.recovery)!;
    const privateKey = openRecoveryWrap(nodePrimitives, wrap, recovery, header);
    expect(nodePrimitives.x25519PublicKey(privateKey)).toEqual(header.recipientPk);
  });

  test('shows nothing to another owner, and a revoked delegate can neither find nor open memories', async () => {
    const stranger = await createTestOwner(world.network);
    const foreign = manual({}, stranger);
    await foreign.rememberManual('my own vault', { namespace });
    const own = await foreign.recallManual('vault opens noon', { namespace });
    expect(own.results.map((hit) => hit.text)).toEqual(['my own vault']);

    const guest = newTestKey();
    await world.owner.addDelegate(guest);
    const client = manual({ key: guest.privateKey });
    expect((await client.recallManual('vault opens', { namespace })).results.length).toBeGreaterThan(0);
    await world.owner.removeDelegate(guest);
    const found = wire.exchanges.findLast(({ path }) => path === '/api/recall/manual')!.answer;
    await expect
      .poll(() => client.recallManual('vault opens', { namespace }).catch(({ code }) => code))
      .toBe('unknown_delegate_key');
    // Even if a relayer continued to respond, the key servers would not
    wire.change = (exchange) => {
      if (exchange.path !== '/api/recall/manual') return exchange.answer;
      exchange.status = 200;
      return found;
    };
    const again = manual({ key: guest.privateKey });
    await expect(again.recallManual('vault opens', { namespace })).rejects.toMatchObject({
      code: 'decrypt_denied',
    });
    wire.change = undefined;
  });

  test.each([
    ['another package', () => ({ packageId: `0x${'7'.repeat(64)}` }), 'package_mismatch'],
    ['another network', () => ({ network: { name: 'testnet' as const } }), 'network_mismatch'],
    [
      'other key servers',
      () => ({
        network: { keyServers: { servers: [{ objectId: `0x${'5'.repeat(64)}`, weight: 1 }], threshold: 1 } },
      }),
      'key_server_mismatch',
    ],
    [
      'another public key of a key server',
      () => {
        const { keyServers, threshold } = world.network.info;
        const servers = keyServers.map(({ objectId, weight }) => ({ objectId, weight, publicKey: '0xab' }));
        return { network: { keyServers: { servers, threshold } } };
      },
      'key_server_mismatch',
    ],
    [
      'another embedding model',
      () => ({ embedding: { baseUrl: provider.url, model: 'nomic' } }),
      'embedding_mismatch',
    ],
    ['no provider', () => ({ embedding: undefined }), 'embedding_not_configured'],
  ])('sends nothing when pinned to %s', async (_what, options, code) => {
    const before = wire.exchanges.length;
    await expect(manual(options()).rememberManual('never sent')).rejects.toMatchObject({ code });
    expect(wire.exchanges.slice(before).map(({ path }) => path)).not.toContain('/api/remember/manual');
  });
});
