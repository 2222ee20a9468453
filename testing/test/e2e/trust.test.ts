import { randomBytes } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import { parseHeader } from '@memrelay/envelope/header';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { sealedLike } from '../../src/sealed-like.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Anyone can encrypt to anyone. Tests which memories recall returns, and what happens to the others. */

let world: RelayerWorld;

beforeAll(async () => {
  world = await RelayerWorld.create();
});
afterAll(() => world?.close());

const namespace = 'whose words';
const vector = new Array(1536).fill(1);

/** A delegate with READ only. */
async function addReader(): Promise<Buffer> {
  const key = newTestKey();
  await world.owner.addDelegate(key, { perms: permissions.read });
  return Buffer.from(key.privateKey, 'hex');
}

test('returns memories of trusted writers, and reports and keeps all others', async () => {
  const client = world.owner.client(world.relayer.url);
  const { blobId } = await client.rememberAndWait('signed by the relayer', { namespace });
  const blob = await fetch(`${world.network.blobstoreUrl}/v1/blobs/${blobId}`);
  const header = parseHeader(new Uint8Array(await blob.arrayBuffer()));
  const signers = {
    'signed by a delegate that may write': Buffer.from(world.owner.delegate.privateKey, 'hex'),
    'signed by a delegate that may only read': await addReader(),
    'signed by a stranger': randomBytes(32),
    'signed by a key of its own': Buffer.from(newTestKey().privateKey, 'hex'),
  };
  const stored: string[] = [];
  for (const [text, signer] of Object.entries(signers)) {
    const encryptedData = sealedLike(header, { namespace, text, signer });
    stored.push((await client.rememberManual({ encryptedData, vector, namespace })).blobId);
  }
  // Repeated after a restart, when the relayer has only the database
  for (const restart of [false, true]) {
    if (restart) {
      await world.relayer.stop();
      await world.relayer.start();
    }
    const { results, droppedCount } = await client.recall('who signed it?', {
      minScore: -1,
      namespace,
      limit: 100,
    });
    expect(results.map((hit) => hit.text).sort()).toEqual([
      'signed by a delegate that may write',
      'signed by the relayer',
    ]);
    expect(droppedCount).toBe(3);
    // Log lines reach this process a moment after the response
    const failures = () => [...new Set(world.relayer.logs().match(/"failure":"\w+","reason":"\w+"/g))];
    await expect.poll(failures).toEqual(['"failure":"integrity","reason":"untrusted_signer"']);
    const kept = await client.recallManual({ vector, namespace, limit: 100 });
    expect(kept.results.map((hit) => hit.blobId)).toEqual(expect.arrayContaining(stored));
  }
});

test('marks the key of a memory as verified at its first read with a credential', async () => {
  const marked = () => world.relayer.logs().split('a namespace key is verified').length - 1;
  // The line of the previous test may not have arrived yet
  await expect.poll(marked).toBeGreaterThan(0);
  const before = marked();
  const client = world.owner.client(world.relayer.url);
  await client.rememberAndWait('to be read', { namespace: 'unread' });
  await client.recallManual({ vector, namespace: 'unread' });
  expect(marked()).toBe(before);
  await client.recall('what is to be read?', { minScore: -1, namespace: 'unread' });
  await expect.poll(marked).toBe(before + 1);
  await client.recall('what is to be read?', { minScore: -1, namespace: 'unread' });
  expect(marked()).toBe(before + 1);
});
