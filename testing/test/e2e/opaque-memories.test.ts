import { randomBytes } from 'node:crypto';
import { rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { parseHeader } from '@memrelay/envelope/header';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { type RecordingProxy, startRecordingProxy } from '../../src/recording-proxy.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { sealedLike } from '../../src/sealed-like.ts';

/** Tests bytes of manual mode that no reader of the account can decrypt: they are accepted, and reported as opaque. */

const vector = new Array(1536).fill(0.02);
let world: RelayerWorld;
let wire: RecordingProxy;
let client: MemRelay;

beforeAll(async () => {
  world = await RelayerWorld.create();
  wire = await startRecordingProxy(world.relayer.url);
  client = world.owner.client(wire.url);
});
afterAll(async () => {
  await wire?.close();
  await world?.close();
});

async function storedHeader(namespace: string) {
  const { blobId } = await client.rememberAndWait(`the first text of ${namespace}`, { namespace });
  const blob = await fetch(`${world.network.blobstoreUrl}/v1/blobs/${blobId}`);
  return parseHeader(new Uint8Array(await blob.arrayBuffer()));
}

const post = (namespace: string, bytes: Uint8Array, more: object = {}) =>
  rawRequest(world.relayer.url, world.owner.delegate, {
    path: '/api/remember/manual',
    accountId: world.owner.accountId,
    body: { encrypted_data: Buffer.from(bytes).toString('base64'), vector, namespace, ...more },
  });

const opaque = { opaque: true, message: expect.stringContaining('restore and text recall cannot use') };

test('reports bytes as opaque only if no reader can decrypt them', async () => {
  const [header, elsewhere] = [await storedHeader('here'), await storedHeader('elsewhere')];
  const signer = Buffer.from(world.owner.delegate.privateKey, 'hex');
  const readable = [
    sealedLike(header, { namespace: 'here', text: 'sealed by the client', signer }),
    // A bare Seal object of our package and this namespace's identity
    header.wraps[0]!.bytes,
  ];
  for (const bytes of readable) {
    const { status, body } = await post('here', bytes);
    expect([status, body.opaque, body.message]).toEqual([200, undefined, undefined]);
  }
  const unreadable = [
    randomBytes(300),
    Buffer.from('MRE1'),
    Buffer.concat([readable[0]!, Buffer.alloc(1)]),
    sealedLike(elsewhere, { namespace: 'elsewhere', text: 'another namespace', signer }),
    sealedLike({ ...header, keyEpoch: 7n }, { namespace: 'here', text: 'a later epoch', signer }),
    sealedLike(
      { ...header, origin: randomBytes(32) },
      { namespace: 'here', text: 'another account', signer },
    ),
    elsewhere.wraps[0]!.bytes,
  ];
  for (const bytes of unreadable)
    expect(await post('here', bytes)).toMatchObject({ status: 200, body: opaque });
  expect(await post('here', randomBytes(9), { wait: false })).toMatchObject({ status: 202, body: opaque });

  const { results, droppedCount } = await client.recall('what did the client seal?', {
    namespace: 'here',
    limit: 100,
    minScore: -1,
  });
  expect(results.map(({ text }) => text).sort()).toEqual(['sealed by the client', 'the first text of here']);
  expect(droppedCount).toBe(unreadable.length + 2);
  // Among the mismatched bytes, a restore can only attribute the envelope that names this namespace: it is indexed
  // here
  const restored = await client.restore({ namespace: 'here' });
  expect(restored).toMatchObject({ restored: 0, skipped: 3, total: 3 });
  expect(restored).not.toHaveProperty('failed');
});

test('does not report envelopes of the current or earlier key epochs as opaque', async () => {
  const earlier = await storedHeader('rotated');
  await world.owner.execute(rotateKeyEpoch(world.network.info.packageId, world.owner.accountId));
  await expect.poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 }).toBe(1);
  const current = await storedHeader('rotated later');
  const signer = Buffer.from(world.owner.delegate.privateKey, 'hex');
  for (const [namespace, header] of [
    ['rotated', earlier],
    ['rotated later', current],
  ] as const) {
    const sealed = sealedLike(header, { namespace, text: `epoch ${header.keyEpoch}`, signer });
    expect((await post(namespace, sealed)).body.opaque).toBeUndefined();
  }
  expect([earlier.keyEpoch, current.keyEpoch]).toEqual([0n, 1n]);
});

test('requires the opaque option in the SDK for bytes that no reader can decrypt', async () => {
  const header = await storedHeader('sdk');
  const signer = Buffer.from(world.owner.delegate.privateKey, 'hex');
  const sealed = sealedLike(header, { namespace: 'sdk', text: 'sealed for here', signer });
  const written = () => wire.exchanges.filter(({ path }) => path === '/api/remember/manual').length;
  const before = written();
  const refused = [
    { encryptedData: randomBytes(300), namespace: 'sdk' },
    { encryptedData: sealed, namespace: 'another' },
    { encryptedData: sealed.subarray(0, -1), namespace: 'sdk' },
    {
      encryptedData: sealedLike({ ...header, keyEpoch: 99n }, { namespace: 'sdk', text: 'x', signer }),
      namespace: 'sdk',
    },
  ];
  for (const input of refused)
    await expect(client.rememberManual({ ...input, vector })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('opaque: true'),
    });
  expect(written()).toBe(before);
  for (const input of refused)
    expect(await client.rememberManual({ ...input, vector, opaque: true })).toMatchObject(opaque);
  const stored = await client.rememberManual({ encryptedData: sealed, vector, namespace: 'sdk' });
  expect(stored).not.toHaveProperty('opaque');
});
