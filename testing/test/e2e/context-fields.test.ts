import { permissions } from '@memrelay/chain/account-bcs';
import { openDatabase } from '@memrelay/relayer/base/db/open-database';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Session, speaker, date, tags, metadata and expiry of memories, from a write to a restore. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let owner: TestOwner;
let client: MemRelay;
const namespace = 'talks';

beforeAll(async () => {
  network = await startTestNetwork();
  [owner, backend] = await Promise.all([createTestOwner(network), createTestBackend()]);
  relayer = await startTestRelayer(network, backend);
  client = owner.client(relayer.url, { namespace });
});
afterAll(async () => {
  await relayer?.stop();
  await Promise.all([network?.close(), backend?.drop()]);
});

const context = {
  session: 'monday',
  speaker: 'Ada',
  happenedAt: '2025-05-08T12:00:00+02:00',
  tags: ['garden', 'plans'],
  metadata: { source_id: 7, nice: true, none: null },
  expiresAt: '2999-01-01T00:00:00Z',
};
const talk = [
  {
    text: 'The plum tree needs to be cut',
    session: 'a',
    speaker: 'Ada',
    happenedAt: '2025-05-08T12:00:00Z',
    tags: ['tree'],
  },
  {
    text: 'The plum jam is in the cellar',
    session: 'a',
    speaker: 'Ben',
    happenedAt: '2025-05-08T12:01:00Z',
    tags: ['jam', 'food'],
  },
  {
    text: 'We eat plum cake on Sunday',
    session: 'b',
    speaker: 'Ada',
    happenedAt: '2025-06-02T12:00:00Z',
    tags: ['food'],
  },
  { text: 'Somebody painted the plum door', tags: ['house'] },
];
const texts = async (query: string, options = {}) =>
  (await client.recall(query, options)).results.map(({ text }) => text);

test('returns sealed fields with the text, and keeps the names inside metadata', async () => {
  await client.rememberAndWait('Ada wants to plant beans', { ...context, namespace: 'sealed' });
  const { results } = await client.recall('who plants beans?', { namespace: 'sealed' });
  expect(results[0]).toMatchObject(context);
  const page = await client.memoriesPage({ namespace: 'sealed' });
  expect(Object.keys(page.memories[0]!)).not.toEqual(expect.arrayContaining(['speaker']));
});

test('rejects fields that are too long, of the past or too large together, and stores nothing', async () => {
  const wrong = [
    { session: 'x'.repeat(129) },
    { tags: Array.from({ length: 33 }, (_, i) => `t${i}`) },
    { metadata: { text: 'x'.repeat(4_097) } },
    { expiresAt: '2001-01-01T00:00:00Z' },
    {
      session: '🌱'.repeat(128),
      speaker: '\u0001'.repeat(128),
      metadata: { text: 'x'.repeat(4_000) },
      tags: Array.from({ length: 32 }, (_, i) => `${i}`.padEnd(64, '\u0001')),
    },
  ];
  for (const fields of wrong)
    await expect(client.remember('never stored', { ...fields, namespace: 'wrong' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  expect((await client.memoriesPage({ namespace: 'wrong' })).memories).toEqual([]);
});

test('filters recall, ask and lists by tags', async () => {
  await client.rememberBulkAndWait(talk);
  expect((await texts('plum', { tags: { any: ['food', 'house'] } })).sort()).toEqual(
    [talk[1]!.text, talk[2]!.text, talk[3]!.text].sort(),
  );
  expect(await texts('plum', { tags: { all: ['food', 'jam'] } })).toEqual([talk[1]!.text]);
  expect((await texts('plum', { tags: { not: ['food'] } })).sort()).toEqual(
    [talk[0]!.text, talk[3]!.text].sort(),
  );
  expect(await texts('plum', { tags: { any: ['food'], not: ['jam'] } })).toEqual([talk[2]!.text]);
  expect(await texts('plum', { tags: { any: ['unknown'] } })).toEqual([]);
  const asked = await client.ask('plum jam', { tags: { any: ['house'] } });
  expect(asked.memories.map(({ text }) => text)).not.toContain(talk[1]!.text);
  const listed = async (tags: object) => (await client.memoriesPage({ tags })).memories.length;
  expect([
    await listed({ any: ['food'] }),
    await listed({ not: ['food'] }),
    await listed({ all: ['jam', 'food'] }),
  ]).toEqual([2, 2, 1]);
  await expect(client.memoriesPage({ allNamespaces: true, tags: { any: ['food'] } })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('keeps the fields of a replaced memory, unless they are named or dropped', async () => {
  const place = { namespace: 'replaced' };
  const fieldsOf = async (id: string) => {
    const { session, speaker, happenedAt, tags, metadata, expiresAt } = await client.memory(id);
    return { session, speaker, happenedAt, tags, metadata, expiresAt };
  };
  const { jobId: first } = await client.rememberAndWait('Ada plants beans', { ...context, ...place });
  expect(await fieldsOf(first)).toEqual(context);
  const { jobId: second } = await client.replace(first, 'Ada plants peas');
  await client.waitForJob(second);
  const kept = { ...context, happenedAt: undefined };
  expect(await fieldsOf(second)).toEqual(kept);
  const { jobId: third } = await client.replace(second, 'Ben plants peas', {
    speaker: 'Ben',
    tags: ['kitchen'],
    metadata: null,
    expiresAt: null,
  });
  await client.waitForJob(third);
  expect(await fieldsOf(third)).toEqual({
    ...kept,
    speaker: 'Ben',
    tags: ['kitchen'],
    metadata: undefined,
    expiresAt: undefined,
  });
  expect(await texts('peas', { ...place, tags: { any: ['kitchen'] } })).toEqual(['Ben plants peas']);

  const writer = newTestKey();
  await owner.addDelegate(writer, { perms: permissions.write, namespaces: ['replaced'] });
  const blind = owner.client(relayer.url, { key: writer.privateKey });
  await expect(blind.replace(third, 'x')).rejects.toMatchObject({ code: 'decrypt_credential_required' });
  const { jobId: fourth } = await blind.replace(third, 'new', { session: 's', speaker: null, tags: [] });
  await client.waitForJob(fourth);
  expect(await fieldsOf(fourth)).toEqual({ session: 's' });
});

test('the texts around a hit pass the tag filter, and have not expired', async () => {
  const place = { namespace: 'around' };
  await client.rememberBulkAndWait([
    { text: 'the first step', tags: ['open'], ...place },
    { text: 'the secret step', tags: ['open', 'secret'], ...place },
    { text: 'the violin lesson', tags: ['open'], ...place },
    { text: 'the closed step', ...place },
    { text: 'the last step', tags: ['open'], expiresAt: new Date(Date.now() + 3_000), ...place },
  ]);
  const around = async (tags?: object) => {
    const { results } = await client.recall('violin', { ...place, context: 3, limit: 1, tags });
    const { before, after } = results[0]!.context!;
    return [...before, ...after].map(({ text }) => text);
  };
  expect(await around({ any: ['open'], not: ['secret'] })).toEqual(
    expect.not.arrayContaining(['the secret step', 'the closed step']),
  );
  expect(await around({ any: ['open'], not: ['secret'] })).toContain('the first step');
  expect(await around()).toEqual(expect.arrayContaining(['the secret step', 'the closed step']));
  await vi.waitFor(async () => expect(await around()).not.toContain('the last step'), { timeout: 10_000 });
});

test('a bulk of items keeps its order in the list', async () => {
  const place = { namespace: 'ordered' };
  const jobs = await client.rememberBulkAndWait(
    Array.from({ length: 20 }, (_, i) => ({ text: `item number ${i}`, ...place })),
  );
  const listed: string[] = [];
  for await (const { id } of client.memories({ ...place, limit: 7 })) listed.push(id);
  expect(listed.reverse()).toEqual(jobs.map(({ jobId }) => jobId));
});

test('manual mode refuses the fields, because the relayer would have to see them', async () => {
  const vector = new Array<number>(1536).fill(1);
  const path = (fields: object, route = 'remember') =>
    rawRequest(relayer.url, owner.delegate, {
      method: 'POST',
      path: `/api/${route}/manual`,
      accountId: owner.accountId,
      body: { vector, ...fields },
    });
  for (const name of ['session', 'speaker', 'happened_at', 'tags', 'metadata', 'expires_at'])
    expect(await path({ encrypted_data: 'AAAA', [name]: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: expect.stringContaining('manual mode') },
    });
  expect(await path({ tags: { any: ['x'] } }, 'recall')).toMatchObject({ status: 400 });
});

test('a restored namespace has the same hits, order and scores', async () => {
  const questions = [
    'plum',
    'What did Ada say about plum in May?',
    'plum on 2 June 2025',
    'jam',
    'plum door',
  ];
  const ranked = () =>
    Promise.all(
      questions.map(async (query) =>
        (await client.recall(query, { explain: true, minScore: -1 })).results.map(
          ({ id: _, ...rest }) => rest,
        ),
      ),
    );
  /** The tables and the relayer's memory add distances up in another order. */
  const nearly = (value: unknown): unknown => {
    if (typeof value === 'number') return expect.closeTo(value, 5);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(nearly);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, nearly(each)]));
  };
  const before = await ranked();
  expect(before[1]![0]).toMatchObject({ speaker: 'Ada', explain: { speaker: 1.3, date: 2 } });
  await relayer.stop();
  const db = await openDatabase(backend.databaseUrl, pino({ enabled: false }));
  for (const table of ['memory_vector', 'known_text', 'memory_successor', 'memory', 'memory_job'])
    await db.query(`DELETE FROM ${table}`);
  await db.close();
  await relayer.start();
  expect(await client.recall('plum')).toMatchObject({ results: [] });
  await client.restore({ namespace, limit: 500 });
  await vi.waitFor(async () => expect(await ranked()).toEqual(nearly(before)), {
    timeout: 15_000,
    interval: 1_000,
  });
});

test('an expired memory is not returned, and is forgotten with a tombstone', async () => {
  await client.rememberAndWait('The visitor parks behind the house', { namespace: 'guests' });
  const soon = new Date(Date.now() + 15_000);
  const { jobId } = await client.remember('The visitor code is 4711', {
    namespace: 'guests',
    expiresAt: soon,
  });
  const recalled = async () =>
    (await client.recall('visitor', { namespace: 'guests' })).results.map(({ text }) => text);
  await vi.waitFor(async () => expect(await recalled()).toHaveLength(2), { timeout: 14_000, interval: 200 });
  expect((await client.memory(jobId)).text).toBe('The visitor code is 4711');
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soon.getTime() - Date.now()) + 50));
  expect(await recalled()).toEqual(['The visitor parks behind the house']);
  await expect(client.memory(jobId)).rejects.toMatchObject({ code: 'memory_not_found' });
  expect((await client.memoriesPage({ namespace: 'guests' })).memories).toHaveLength(1);
  await vi.waitFor(
    async () => {
      const { namespaces } = await client.stats();
      expect(namespaces.find((each) => each.namespace === 'guests')!.memoryCount).toBe(1);
    },
    { timeout: 50_000, interval: 1_000 },
  );
  await relayer.stop();
  const db = await openDatabase(backend.databaseUrl, pino({ enabled: false }));
  const { rows } = await db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM memory_job WHERE namespace = 'guests' AND kind = 2",
  );
  await db.close();
  expect(rows[0]!.count).toBe(1);
}, 90_000);
