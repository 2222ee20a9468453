import { randomUUID } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import { deactivateAccount, reactivateAccount, rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { parseHeader } from '@memrelay/envelope/header';
import { headers } from '@memrelay/protocol/headers';
import { createEncSession } from '@memrelay/sdk/enc-session';
import { createSigner } from '@memrelay/sdk/signer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { sealedLike } from '../../src/sealed-like.ts';
import { createTestOwner, newTestKey, type TestKey, type TestScope } from '../../src/test-owner.ts';

/** Tests callers without access, through the public API with real keys, chain and key servers. */

const secret = 'the vault opens with the seventh key';
let world: RelayerWorld;

beforeAll(async () => {
  world = await RelayerWorld.create();
  await world.owner.client(world.relayer.url).rememberAndWait(secret);
});
afterAll(() => world?.close());

/** The session header of a key, as the SDK creates it. */
async function sessionOf(key: TestKey): Promise<string> {
  const signer = createSigner(Buffer.from(key.privateKey, 'hex'));
  const now = { creationTimeMs: Date.now() - 30_000, ttlMin: 10 };
  const session = await createEncSession({ signer, packageId: world.network.info.packageId, ...now });
  return Buffer.from(JSON.stringify(session)).toString('base64');
}

async function recallAs(key: TestKey, more: { accountId?: string; session?: string } = {}) {
  return rawRequest(world.relayer.url, key, {
    path: '/api/recall',
    body: { query: 'what opens the vault?' },
    accountId: more.accountId ?? world.owner.accountId,
    headers: { [headers.encSession]: more.session ?? (await sessionOf(key)) },
  });
}

const refusal = (status: number, error: string) => ({
  status,
  body: { error, request_id: expect.any(String) },
});

describe('a stranger', () => {
  test('is rejected as an unknown delegate, even right after the owner read the memory', async () => {
    expect((await recallAs(world.owner.delegate)).body.results[0].text).toBe(secret);
    expect(await recallAs(newTestKey())).toMatchObject(refusal(401, 'unknown_delegate_key'));
  });

  test("with a separate account finds only that account's memories", async () => {
    const stranger = await createTestOwner(world.network);
    expect((await recallAs(stranger.delegate, { accountId: stranger.accountId })).body).toMatchObject({
      total: 0,
    });
    expect(await recallAs(stranger.delegate)).toMatchObject(refusal(401, 'unknown_delegate_key'));
  });

  test('cannot share sessions with a delegate in either direction', async () => {
    const stranger = await createTestOwner(world.network);
    const foreign = await recallAs(world.owner.delegate, { session: await sessionOf(stranger.delegate) });
    expect(foreign).toMatchObject(refusal(403, 'decrypt_denied'));
    await stranger.client(world.relayer.url).rememberAndWait('something to read');
    const stolen = await recallAs(stranger.delegate, {
      accountId: stranger.accountId,
      session: await sessionOf(world.owner.delegate),
    });
    expect(stolen).toMatchObject(refusal(403, 'decrypt_denied'));
  });

  test("cannot see another account's jobs", async () => {
    const { jobId } = await world.owner.client(world.relayer.url).remember('whose job is it?');
    const stranger = await createTestOwner(world.network);
    const single = await rawRequest(world.relayer.url, stranger.delegate, {
      method: 'GET',
      path: `/api/remember/${jobId}`,
      accountId: stranger.accountId,
    });
    expect(single).toMatchObject(refusal(404, 'job_not_found'));
    const bulk = await stranger.client(world.relayer.url).jobs([jobId]);
    expect(bulk).toEqual([{ jobId, status: 'not_found' }]);
  });
});

describe('a delegate', () => {
  test('loses all access within 5 seconds of its revocation, even right after a read', async () => {
    const key = newTestKey();
    await world.owner.addDelegate(key);
    await expect.poll(async () => (await recallAs(key)).status, { timeout: 10_000 }).toBe(200);
    expect((await recallAs(key)).body.results[0].text).toBe(secret);
    await world.owner.removeDelegate(key);
    await expect.poll(async () => (await recallAs(key)).status, { timeout: 5_000, interval: 100 }).toBe(401);
    expect(await recallAs(key)).toMatchObject(refusal(401, 'unknown_delegate_key'));
  });

  /** Adds a delegate with this scope and waits until the relayer knows it. */
  async function scoped(scope: TestScope): Promise<TestKey> {
    const key = newTestKey();
    await world.owner.addDelegate(key, scope);
    const known = () =>
      rawRequest(world.relayer.url, key, {
        method: 'GET',
        path: '/api/account',
        accountId: world.owner.accountId,
      });
    await expect.poll(async () => (await known()).status, { timeout: 10_000 }).toBe(200);
    return key;
  }
  const rememberAs = (key: TestKey, namespace?: string) =>
    rawRequest(world.relayer.url, key, {
      path: '/api/remember',
      body: { text: 'a sentence', ...(namespace ? { namespace } : {}) },
      accountId: world.owner.accountId,
    });
  const vector = new Array(1536).fill(1);
  const manualAs = (key: TestKey, route: 'remember' | 'recall', namespace = 'default') =>
    rawRequest(world.relayer.url, key, {
      path: `/api/${route}/manual`,
      body: { vector, namespace, ...(route === 'remember' ? { encrypted_data: 'AAAA' } : {}) },
      accountId: world.owner.accountId,
    });

  test('with READ only cannot write, and with WRITE only cannot read', async () => {
    const reader = await scoped({ perms: permissions.read });
    expect((await recallAs(reader)).status).toBe(200);
    expect(await rememberAs(reader)).toMatchObject(refusal(403, 'insufficient_scope'));
    const writer = await scoped({ perms: permissions.write });
    expect((await rememberAs(writer)).status).toBe(202);
    expect(await recallAs(writer)).toMatchObject(refusal(403, 'insufficient_scope'));
    // The key servers are not involved in the manual routes, so only the relayer enforces both rights
    expect(await manualAs(reader, 'remember')).toMatchObject(refusal(403, 'insufficient_scope'));
    expect((await manualAs(writer, 'remember')).status).toBe(200);
    expect(await manualAs(writer, 'recall')).toMatchObject(refusal(403, 'insufficient_scope'));
    expect((await manualAs(reader, 'recall')).body.total).toBeGreaterThan(0);
  });

  test('limited to a namespace is rejected in every other one', async () => {
    const key = await scoped({ perms: permissions.all, namespaces: ['work'] });
    const client = world.owner.client(world.relayer.url, { key: key.privateKey });
    await client.rememberAndWait('the meeting is on Tuesday', { namespace: 'work' });
    expect((await client.recall('when is the meeting?', { namespace: 'work' })).results[0]?.text).toBe(
      'the meeting is on Tuesday',
    );
    expect(await rememberAs(key, 'home')).toMatchObject(refusal(403, 'insufficient_scope'));
    expect(await recallAs(key)).toMatchObject(refusal(403, 'insufficient_scope'));
    for (const route of ['remember', 'recall'] as const)
      expect(await manualAs(key, route, 'home')).toMatchObject(refusal(403, 'insufficient_scope'));
    const mixed = await rawRequest(world.relayer.url, key, {
      path: '/api/remember/bulk',
      body: {
        items: [
          { text: 'a', namespace: 'work' },
          { text: 'b', namespace: 'home' },
        ],
      },
      accountId: world.owner.accountId,
    });
    expect(mixed).toMatchObject(refusal(403, 'insufficient_scope'));
  });

  test('leaves the memories it sealed readable after its removal', async () => {
    const author = newTestKey();
    await world.owner.addDelegate(author);
    const client = world.owner.client(world.relayer.url, { key: author.privateKey });
    await expect.poll(async () => (await client.account()).active, { timeout: 10_000 }).toBe(true);
    // A separate envelope, sealed to the namespace's public key, which is in every envelope there
    const namespace = 'sealed by the client';
    const first = await client.rememberAndWait('made by the relayer', { namespace });
    const blob = await fetch(`${world.network.blobstoreUrl}/v1/blobs/${first.blobId}`);
    const header = parseHeader(new Uint8Array(await blob.arrayBuffer()));
    const encryptedData = sealedLike(header, {
      namespace,
      text: 'made by the client',
      signer: Buffer.from(author.privateKey, 'hex'),
    });
    await client.rememberManual({ encryptedData, vector: new Array(1536).fill(1), namespace });
    await world.owner.removeDelegate(author);
    await expect.poll(async () => (await recallAs(author)).status, { timeout: 10_000 }).toBe(401);
    const recalled = await world.owner
      .client(world.relayer.url)
      .recall('who made it?', { minScore: -1, namespace });
    expect(recalled.droppedCount).toBeUndefined();
    expect(recalled.results.map((hit) => hit.text).sort()).toEqual([
      'made by the client',
      'made by the relayer',
    ]);
  });

  test('is rejected after it has expired', async () => {
    const key = await scoped({ perms: permissions.all, expiresAtMs: Date.now() + 4_000 });
    await expect.poll(async () => (await recallAs(key)).status, { timeout: 10_000 }).toBe(401);
    expect(await recallAs(key)).toMatchObject(refusal(401, 'delegate_expired'));
  });
});

describe('an account', () => {
  test('is not served while deactivated, and is served again after reactivation', async () => {
    const { packageId } = world.network.info;
    const other = await createTestOwner(world.network);
    await other.client(world.relayer.url).rememberAndWait('asleep');
    await other.execute(deactivateAccount(packageId, other.accountId));
    const attempt = () => recallAs(other.delegate, { accountId: other.accountId });
    await expect.poll(async () => (await attempt()).status, { timeout: 5_000, interval: 100 }).toBe(401);
    expect(await attempt()).toMatchObject(refusal(401, 'account_inactive'));
    await other.execute(reactivateAccount(packageId, other.accountId));
    await expect.poll(async () => (await attempt()).status, { timeout: 10_000 }).toBe(200);
  });

  test('keeps its memories readable after a key epoch change', async () => {
    const other = await createTestOwner(world.network);
    const client = other.client(world.relayer.url);
    await client.rememberAndWait('written under the first epoch');
    await other.execute(rotateKeyEpoch(world.network.info.packageId, other.accountId));
    await expect.poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 }).toBe(1);
    await client.rememberAndWait('written under the second epoch');
    const { results, droppedCount } = await client.recall('which epoch was it written under?', {
      minScore: -1,
    });
    expect(results.map((hit) => hit.text).sort()).toEqual([
      'written under the first epoch',
      'written under the second epoch',
    ]);
    expect(droppedCount).toBeUndefined();
  });

  test('is found without x-account-id', async () => {
    const other = await createTestOwner(world.network);
    const attempt = () =>
      rawRequest(world.relayer.url, other.delegate, { method: 'GET', path: '/api/account' });
    await expect.poll(async () => (await attempt()).status, { timeout: 10_000 }).toBe(200);
    expect((await attempt()).body.account_id).toBe(other.accountId);
  });
});

describe('a request', () => {
  test('is accepted only once, even after the relayer was killed and restarted', async () => {
    const fixed = {
      path: '/api/account',
      method: 'GET',
      accountId: world.owner.accountId,
      nonce: randomUUID(),
      timestamp: Math.floor(Date.now() / 1000),
    };
    expect((await rawRequest(world.relayer.url, world.owner.delegate, fixed)).status).toBe(200);
    expect(await rawRequest(world.relayer.url, world.owner.delegate, fixed)).toMatchObject(
      refusal(401, 'nonce_replayed'),
    );
    await world.relayer.kill();
    await world.relayer.start();
    expect(await rawRequest(world.relayer.url, world.owner.delegate, fixed)).toMatchObject(
      refusal(401, 'nonce_replayed'),
    );
  });

  test('is rejected when its body, path or account was changed', async () => {
    const good = { path: '/api/account', method: 'GET', accountId: world.owner.accountId };
    const send = (more: object) => rawRequest(world.relayer.url, world.owner.delegate, { ...good, ...more });
    const otherAccount = { [headers.accountId]: `0x${'1'.repeat(64)}` };
    expect(await send({ headers: otherAccount })).toMatchObject(refusal(401, 'invalid_signature'));
    expect(await send({ headers: { [headers.accountId]: undefined } })).toMatchObject(
      refusal(401, 'invalid_signature'),
    );
    expect(await send({ headers: { [headers.signature]: undefined } })).toMatchObject(
      refusal(401, 'missing_auth_header'),
    );
    expect(await send({ headers: { [headers.nonce]: 'no-uuid' } })).toMatchObject(
      refusal(401, 'invalid_auth_header'),
    );
    expect(await send({ timestamp: 1 })).toMatchObject(refusal(401, 'timestamp_out_of_window'));
  });
});
