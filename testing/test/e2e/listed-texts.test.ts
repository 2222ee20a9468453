import { permissions } from '@memrelay/chain/account-bcs';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { list } from 'memrelay/commands/list';
import { createOutput } from 'memrelay/terminal/output';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withCredentialFile } from '../../src/credentials-of.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';

/** Tests lists with texts: what they contain, how their pages end, and who may read them. */

let world: FaultyWorld;
let owner: TestOwner;
let client: MemRelay;

beforeAll(async () => {
  world = await startFaultyWorld();
  owner = await createTestOwner(world.network);
  client = owner.client(world.relayer.url);
});
afterAll(async () => {
  client?.destroy();
  await world?.close();
});
beforeEach(() => world.heal());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const textsOf = (memories: { text?: string }[]) => memories.map(({ text }) => text);
async function keyWith(scope: Parameters<TestOwner['addDelegate']>[1]): Promise<TestKey> {
  const key = newTestKey();
  await owner.addDelegate(key, scope);
  return key;
}

test('returns texts and context fields of one namespace or all, filtered by tags', async () => {
  const context = {
    session: 'monday',
    speaker: 'Ada',
    happenedAt: '2025-05-08T12:00:00+02:00',
    tags: ['garden', 'to do'],
    metadata: { source_id: 7 },
    expiresAt: '2999-01-01T00:00:00Z',
  };
  await client.rememberAndWait('The plum tree needs to be cut.', { namespace: 'talks', ...context });
  await client.rememberAndWait('The door squeaks.', { namespace: 'talks', tags: ['garden'] });
  await client.rememberAndWait('Elsewhere.', { namespace: 'others' });
  const { memories } = await client.memoriesPage({ namespace: 'talks', texts: true });
  expect(textsOf(memories)).toEqual(['The door squeaks.', 'The plum tree needs to be cut.']);
  expect(memories[1]).toMatchObject(context);
  const plain = await client.memoriesPage({ namespace: 'talks' });
  const [entry] = plain.memories;
  expect(entry).not.toHaveProperty('text');
  expect(memories[0]).toEqual({ ...entry, text: 'The door squeaks.', tags: ['garden'] });
  const both = { namespace: 'talks', texts: true, tags: { all: ['to do', 'garden'] } };
  expect(textsOf(await all(client.memories(both)))).toEqual(['The plum tree needs to be cut.']);
  const everything = textsOf(await all(client.memories({ texts: true, limit: 1 })));
  expect(everything).toEqual(['Elsewhere.', 'The door squeaks.', 'The plum tree needs to be cut.']);
});

test('includes memories from the moment they are accepted, each once and in order', async () => {
  const namespace = 'accepted';
  await client.rememberAndWait('stored', { namespace });
  world.publisher.fault = { method: 'PUT', kind: 500 };
  const embedded = await client.remember('embedded', { namespace });
  await expect
    .poll(async () => (await client.memoriesPage({ namespace })).memories.length, { timeout: 60_000 })
    .toBe(2);
  world.provider.fault = 'hang';
  const queued = await client.remember('queued', { namespace, tags: ['new'] });
  await world.provider.waiting();
  const entries = await all(client.memories({ namespace, texts: true, limit: 1 }));
  expect(textsOf(entries)).toEqual(['queued', 'embedded', 'stored']);
  expect(entries[0]).toMatchObject({ id: queued.jobId, pending: true, tags: ['new'] });
  expect(entries[1]).toMatchObject({ id: embedded.jobId, pending: true });
  expect((await client.memoriesPage({ namespace })).memories.length).toBe(2);
  const tagged = (tags: object) => client.memoriesPage({ namespace, texts: true, tags });
  expect(textsOf((await tagged({ any: ['new'] })).memories)).toEqual(['queued']);
  expect(textsOf((await tagged({ not: ['new'] })).memories)).toEqual(['embedded', 'stored']);
  expect((await client.memoriesPage({ namespace: 'unused', texts: true })).memories).toEqual([]);
  const [first] = (await client.memoriesPage({ texts: true, limit: 1 })).memories;
  expect(first).toMatchObject({ id: queued.jobId, namespace });
  await client.forget({ ids: [queued.jobId], namespace });
  expect(textsOf((await client.memoriesPage({ namespace, texts: true })).memories)).not.toContain('queued');
});

test('marks an entry that cannot be read, and returns the others', async () => {
  const namespace = 'damaged';
  const { jobId: readable } = await client.rememberAndWait('can be read', { namespace });
  const vector = new Float32Array(1536).fill(1);
  const { id: foreign } = await client.rememberManual({
    encryptedData: Buffer.from('sealed elsewhere'),
    vector,
    namespace,
    opaque: true,
  });
  const { memories } = await client.memoriesPage({ namespace, texts: true });
  expect(memories).toMatchObject([
    { id: foreign, error: 'unreadable' },
    { id: readable, text: 'can be read' },
  ]);
  expect(memories[0]).not.toHaveProperty('text');
});

test('ends a page early when its memories are large', async () => {
  const namespace = 'large';
  const size = 1_000_000;
  const texts = Array.from({ length: 9 }, (_, i) => `${i} ${'word '.repeat(size / 5)}`);
  for (const text of texts) await client.remember(text, { namespace });
  const first = await client.memoriesPage({ namespace, texts: true });
  expect(first.memories.length).toBe(8);
  expect(first.nextCursor).toBeDefined();
  const seen = textsOf(await all(client.memories({ namespace, texts: true })));
  expect(seen.map((text) => text?.[0])).toEqual([...'876543210']);
});

test('needs a credential, and READ in the namespace: nothing else changes what a key sees', async () => {
  await client.rememberAndWait('for the office', { namespace: 'office' });
  const secret = await client.rememberAndWait('for no one else', { namespace: 'diary' });
  const raw = await rawRequest(world.relayer.url, owner.delegate, {
    path: '/api/memories',
    body: { texts: true },
    accountId: owner.accountId,
  });
  expect(raw).toMatchObject({ status: 403, body: { error: 'decrypt_credential_required' } });
  const as = (key: TestKey) => owner.client(world.relayer.url, { key: key.privateKey, maxAttempts: 1 });
  const codeOf = (read: Promise<unknown>) =>
    read.then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );

  const officeKey = await keyWith({ perms: permissions.read, namespaces: ['office'] });
  const office = as(officeKey);
  const readsOffice = () => all(office.memories({ texts: true })).catch(() => []);
  await expect
    .poll(async () => textsOf(await readsOffice()), { timeout: 60_000 })
    .toEqual(['for the office']);
  expect(await codeOf(office.memoriesPage({ namespace: 'diary', texts: true }))).toBe('insufficient_scope');
  const writer = as(await keyWith({ perms: permissions.write | permissions.forget }));
  await expect
    .poll(() => codeOf(writer.memoriesPage({ texts: true })), { timeout: 60_000 })
    .toBe('insufficient_scope');
  const stranger = (await createTestOwner(world.network)).client(world.relayer.url);
  expect(await all(stranger.memories({ texts: true }))).toEqual([]);

  const { nextCursor: cursor } = await client.memoriesPage({ texts: true, limit: 1 });
  expect(await codeOf(stranger.memoriesPage({ texts: true, cursor }))).toBe('invalid_request');
  await client.forget({ ids: [secret.jobId], namespace: 'diary' });
  expect(await all(client.memories({ namespace: 'diary', texts: true }))).toEqual([]);
  await owner.removeDelegate(officeKey);
  await expect
    .poll(() => codeOf(office.memoriesPage({ namespace: 'office', texts: true })), { timeout: 60_000 })
    .toBe('unknown_delegate_key');
});

test('is printed by the command', async () => {
  await client.rememberAndWait('The gate code\nis 12.', { namespace: 'printed', tags: ['home'] });
  await withCredentialFile({ ...world, owner }, async (credentials) => {
    const printed: unknown[] = [];
    const lines: string[] = [];
    const options = { credentials, namespace: 'printed', texts: true };
    const json = { ...createOutput({ json: true }), result: (value: unknown) => printed.push(value) };
    await list(json, options);
    expect(printed[0]).toMatchObject({ memories: [{ text: 'The gate code\nis 12.', tags: ['home'] }] });
    const human = { ...createOutput({ json: false }), step() {}, line: (text: string) => lines.push(text) };
    await list(human, options);
    expect(lines[1]).toMatch(/^ {2}The gate code/);
    expect(lines.join('\n')).not.toContain('are encrypted');
  });
});
