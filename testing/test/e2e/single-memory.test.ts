import { randomUUID } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { replace } from 'memrelay/commands/replace';
import { show } from 'memrelay/commands/show';
import { createOutput } from 'memrelay/terminal/output';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withCredentialFile } from '../../src/credentials-of.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { newTestKey, type TestKey, type TestScope } from '../../src/test-owner.ts';

/** Tests reading one memory with its history, and replacing it. */

let world: RelayerWorld;
let client: MemRelay;
let namespace: string;

beforeAll(async () => {
  world = await RelayerWorld.create({ owners: 2 });
  client = world.client();
});
afterAll(() => world?.close());
beforeEach(() => {
  namespace = randomUUID();
});

const stored = async (text: string) => (await client.rememberAndWait(text, { namespace })).jobId;
async function replaced(id: string, text: string) {
  const { jobId } = await client.replace(id, text);
  return client.waitForJob(jobId);
}
const textsOf = (versions: { text?: string }[]) => versions.map(({ text }) => text);

async function delegate(scope: TestScope): Promise<TestKey> {
  const key = newTestKey();
  await world.owner.addDelegate(key, scope);
  return key;
}
const notFound = { status: 404, code: 'memory_not_found' };

describe('one memory', () => {
  test('is read by its id, with its text and where it is stored', async () => {
    const job = await client.rememberAndWait('the key is under the mat', { namespace });
    const [entry] = (await client.memoriesPage({ namespace })).memories;
    const [key] = (await client.keys()).filter((each) => each.namespace === namespace);
    const memory = await client.memory(job.jobId.toUpperCase());
    expect(memory).toEqual({
      ...entry,
      state: 'done',
      text: 'the key is under the mat',
      objectId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      sealedTo: { keyEpoch: key!.keyEpoch, recipientPk: key!.recipientPk },
      history: { earlier: [], later: [] },
    });
    expect(await client.memory(job.jobId, { namespace })).toEqual(memory);
    expect((await client.recall('where is the key?', { namespace })).results[0]!.text).toBe(memory.text);
  });

  test('is found as soon as it is accepted, and by the id of a duplicate', async () => {
    const { jobId } = await client.remember('read me at once', { namespace });
    expect(await client.memory(jobId)).toMatchObject({ id: jobId, text: 'read me at once' });
    await client.waitForJob(jobId);
    const again = await client.rememberAndWait('read me at once', { namespace });
    expect(again).toMatchObject({ deduplicated: true });
    expect(again.jobId).not.toBe(jobId);
    expect(await client.memory(again.jobId)).toMatchObject({ id: jobId, state: 'done' });
  });

  test('is not found if it is unknown, forgotten, of another account, namespace or scope: the same answer', async () => {
    const id = await stored('only mine');
    const gone = await stored('soon gone');
    await client.forget({ ids: [gone], namespace });
    const stranger = world.client({}, world.owners[1]!);
    const elsewhere = world.client({
      key: (await delegate({ perms: permissions.read | permissions.write, namespaces: ['other'] }))
        .privateKey,
    });
    const writer = world.client({ key: (await delegate({ perms: permissions.write })).privateKey });
    const reads = [
      () => client.memory(randomUUID()),
      () => client.memory('not-a-uuid'),
      () => client.memory(gone),
      () => client.memory(id, { namespace: 'other' }),
      () => stranger.memory(id),
      () => elsewhere.memory(id),
      () => stranger.replace(id, 'mine now'),
      () => elsewhere.replace(id, 'mine now'),
      () => client.replace(id, 'mine now', { namespace: 'other' }),
      () => client.replace(gone, 'back again'),
    ];
    const messages = new Set<string>();
    for (const read of reads) {
      const error = await read().then(
        () => expect.fail(read.toString()),
        (cause: Error) => cause,
      );
      expect(error, read.toString()).toMatchObject(notFound);
      messages.add(error.message.replace(/request [\w-]+/, ''));
    }
    expect(messages.size).toBe(1);
    await expect(writer.memory(id)).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(await client.memory(id)).toMatchObject({ text: 'only mine', history: { later: [] } });
  });

  test('needs a decrypt credential', async () => {
    const id = await stored('sealed');
    const read = (path: string) =>
      rawRequest(world.relayer.url, world.owner.delegate, {
        method: 'GET',
        path,
        accountId: world.owner.accountId,
      });
    const answer = await read(`/api/memories/${id}`);
    expect(answer).toMatchObject({ status: 403, body: { error: 'decrypt_credential_required' } });
    expect(await read(`/api/memories/${id}?namespace=`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });
});

describe('a replacement', () => {
  test('supersedes the memory, which is kept, and both show their history', async () => {
    const first = await stored('Ana lives in Porto');
    const { jobId: second } = await replaced(first, 'Ana lives in Lisbon');
    const { jobId: third } = await replaced(second, 'Ana lives in Faro');
    const newest = await client.memory(third);
    expect(newest).toMatchObject({ text: 'Ana lives in Faro', namespace });
    expect(newest).not.toHaveProperty('supersededBy');
    expect(newest.history).toEqual({
      earlier: [
        { id: second, createdAt: expect.any(String), text: 'Ana lives in Lisbon' },
        { id: first, createdAt: expect.any(String), text: 'Ana lives in Porto' },
      ],
      later: [],
    });
    const oldest = await client.memory(first);
    expect(oldest).toMatchObject({ text: 'Ana lives in Porto', supersededBy: second });
    expect(textsOf(oldest.history.later)).toEqual(['Ana lives in Lisbon', 'Ana lives in Faro']);
    const { results } = await client.recall('where does Ana live?', { namespace, includePending: false });
    expect(results[0]).toMatchObject({ text: 'Ana lives in Faro' });
    expect(results.find(({ id }) => id === first)).toMatchObject({ supersededBy: second });

    await client.forget({ ids: [second], namespace });
    expect((await client.memory(third)).history).toEqual({ earlier: [], later: [] });
    expect(await client.memory(first)).not.toHaveProperty('supersededBy');
  });

  test('with the same text stores nothing, and its job ends as a duplicate', async () => {
    const id = await stored('unchanged');
    const job = await replaced(id, 'unchanged');
    expect(job).toMatchObject({ deduplicated: true, blobId: (await client.memory(id)).blobId });
    expect(await client.memory(id)).not.toHaveProperty('supersededBy');
    expect(await client.memory(id)).toMatchObject({ history: { earlier: [], later: [] } });
    expect((await client.memoriesPage({ namespace })).memories.length).toBe(1);
  });

  test('with the text of another memory makes that one the later version', async () => {
    const [old, other] = [await stored('the old text'), await stored('the other text')];
    expect(await replaced(old, 'the other text')).toMatchObject({ deduplicated: true });
    expect(await client.memory(old)).toMatchObject({ supersededBy: other });
    expect(textsOf((await client.memory(other)).history.earlier)).toEqual(['the old text']);
  });

  test('with an earlier text stores it again as the newest version', async () => {
    const first = await stored('tea');
    const { jobId: second } = await replaced(first, 'coffee');
    const { jobId: third, deduplicated } = await replaced(second, 'tea');
    expect(deduplicated).toBeUndefined();
    expect(textsOf((await client.memory(third)).history.earlier)).toEqual(['coffee', 'tea']);
  });

  test('is accepted together with another one of the same memory: both are later versions', async () => {
    const id = await stored('three apples');
    await Promise.all([replaced(id, 'four apples'), replaced(id, 'five apples')]);
    const { history, supersededBy } = await client.memory(id);
    expect(textsOf(history.later).sort()).toEqual(['five apples', 'four apples']);
    expect(history.later.map((version) => version.id)).toContain(supersededBy);
    for (const later of history.later)
      expect(textsOf((await client.memory(later.id)).history.earlier)).toEqual(['three apples']);
  });

  test('stores once per idempotency key, which is bound to the memory', async () => {
    const [id, other] = [await stored('one'), await stored('two')];
    const idempotencyKey = randomUUID();
    const { jobId } = await client.replace(id, 'uno', { idempotencyKey });
    await client.waitForJob(jobId);
    expect(await client.replace(id, 'uno', { idempotencyKey })).toEqual({ jobId, status: 'running' });
    await expect(client.replace(other, 'uno', { idempotencyKey })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    // A repetition is answered even if the memory was forgotten since
    await client.forget({ ids: [id], namespace });
    expect(await client.replace(id, 'uno', { idempotencyKey })).toEqual({ jobId, status: 'running' });
    expect((await client.memory(jobId)).history.earlier).toEqual([]);
  });

  test('needs WRITE in the namespace, but not READ', async () => {
    const id = await stored('written by one');
    const scope = { namespaces: [namespace] };
    const reader = world.client({
      key: (await delegate({ ...scope, perms: permissions.read })).privateKey,
    });
    const writer = world.client({
      key: (await delegate({ ...scope, perms: permissions.write })).privateKey,
    });
    await expect(reader.replace(id, 'x')).rejects.toMatchObject({ code: 'insufficient_scope' });
    const { jobId } = await writer.replace(id, 'rewritten');
    await writer.waitForJob(jobId);
    expect(await client.memory(id)).toMatchObject({ supersededBy: jobId });
  });

  test('of bytes in a format of the client is refused', async () => {
    const vector = new Float32Array(1536).fill(1);
    const manual = await client.rememberManual({
      encryptedData: Buffer.from('sealed elsewhere'),
      vector,
      namespace,
      opaque: true,
    });
    const memory = await client.memory(manual.id);
    expect(memory).toMatchObject({ state: 'done', blobId: manual.blobId });
    expect(memory).not.toHaveProperty('text');
    await expect(client.replace(manual.id, 'x')).rejects.toMatchObject({
      status: 409,
      code: 'memory_not_replaceable',
    });
  });
});

test('are available on the command line', async () => {
  await withCredentialFile(world, async (credentials) => {
    const printed: unknown[] = [];
    const lines: string[] = [];
    const json = { ...createOutput({ json: true }), result: (value: unknown) => printed.push(value) };
    const human = { ...createOutput({ json: false }), step() {}, line: (text: string) => lines.push(text) };
    const id = await stored('The gate code is 12');
    await replace(json, id, ['The gate', 'code is 34'], { credentials, wait: true });
    expect(printed[0]).toMatchObject({ status: 'done', namespace, replaces: id });
    const { id: second } = printed[0] as { id: string };
    await replace(human, second, ['The gate code is 34'], { credentials, wait: true });
    expect(lines.join('\n')).toContain('Already known: a memory has this text.');
    await show(json, id, { credentials });
    expect(printed[1]).toMatchObject({
      text: 'The gate code is 12',
      superseded_by: second,
      history: { earlier: [], later: [{ id: second, text: 'The gate code is 34' }] },
    });
    lines.length = 0;
    await show(human, second, { credentials });
    const text = lines.join('\n');
    expect(text).toMatch(new RegExp(`^The gate code is 34\\n\\nId +${second}\\nNamespace +${namespace}\\n`));
    expect(text).toMatch(/^Object +0x[0-9a-f]{64}\nUntil +\d{4}-\d\d-\d\d \(epoch \d+\)$/m);
    expect(text).toMatch(/^Replaces:\n {2}\d{4}-.* {2}The gate code is 12\n +id [0-9a-f-]{36}$/m);
  });
});
