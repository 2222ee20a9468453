import { describe, expect, it } from 'vitest';
import { errorAnswer, rejection, startWire, testClient } from './wire-double.ts';

const entry = (id: string) => ({
  id,
  blob_id: 'b'.repeat(43),
  namespace: 'work',
  created_at: '2026-03-02T10:00:00.000Z',
  size: 1_500,
  importance: 0.5,
  expires_epoch: 60,
});
const pages = {
  first: { memories: [entry('m1'), entry('m2')], next_cursor: 'c1' },
  second: { memories: [entry('m3')] },
};

describe('memories', () => {
  it('iterates all pages, and fetches the next only when needed', async () => {
    await using wire = await startWire((request) => ({
      json: request.json.cursor === 'c1' ? pages.second : pages.first,
    }));
    const seen: string[] = [];
    for await (const { id } of testClient(wire.url).memories({ limit: 2 })) {
      seen.push(`${id} of request ${wire.seen.length}`);
    }
    expect(seen).toEqual(['m1 of request 1', 'm2 of request 1', 'm3 of request 2']);
    expect(wire.seen.map(({ method, path, json }) => ({ method, path, json }))).toEqual([
      { method: 'POST', path: '/api/memories', json: { limit: 2 } },
      { method: 'POST', path: '/api/memories', json: { limit: 2, cursor: 'c1' } },
    ]);
  });

  it('stops when the caller stops', async () => {
    await using wire = await startWire([{ json: pages.first }]);
    for await (const memory of testClient(wire.url).memories()) {
      expect(memory).toEqual({
        id: 'm1',
        blobId: 'b'.repeat(43),
        namespace: 'work',
        createdAt: '2026-03-02T10:00:00.000Z',
        size: 1_500,
        importance: 0.5,
        expiresEpoch: 60,
      });
      break;
    }
    expect(wire.seen.length).toBe(1);
  });

  it("lists the client's namespace, another one, or all", async () => {
    await using wire = await startWire([{ json: pages.second }]);
    const client = testClient(wire.url, { namespace: 'mine' });
    await client.memoriesPage();
    await client.memoriesPage({ namespace: 'yours' });
    await client.memoriesPage({ allNamespaces: true, cursor: 'c9' });
    expect(wire.seen.map(({ json }) => json)).toEqual([
      { namespace: 'mine' },
      { namespace: 'yours' },
      { cursor: 'c9' },
    ]);
  });

  it('reads texts with a session', async () => {
    const memories = [{ ...entry('m1'), text: 'hi', metadata: { own_key: 1 } }];
    await using wire = await startWire([{ json: { memories } }]);
    const page = await testClient(wire.url).memoriesPage({
      texts: true,
      tags: { all: ['t'] },
      namespace: 'n',
    });
    expect(page.memories[0]).toMatchObject({ text: 'hi', metadata: { own_key: 1 } });
    expect(wire.seen[0]).toMatchObject({ json: { namespace: 'n', tags: { all: ['t'] }, texts: true } });
    expect(wire.seen[0]!.headers).toHaveProperty('x-enc-session');
    await testClient(wire.url).memoriesPage();
    expect(wire.seen[1]!.headers).not.toHaveProperty('x-enc-session');
  });

  it("rejects with the relayer's errors, and stops with the signal", async () => {
    await using wire = await startWire([errorAnswer(400, 'invalid_request')]);
    const refused = rejection(testClient(wire.url).memories().next());
    expect(await refused).toMatchObject({ code: 'invalid_request' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(testClient(wire.url).memories({ signal }).next()).rejects.toThrow('enough');
  });
});

it("forget without ids does not empty the client's default namespace", async () => {
  const answer = { deleted: 1, namespace: 'mine', owner: '0x1', blobs_to_delete: [] };
  await using wire = await startWire([{ json: answer }]);
  const client = testClient(wire.url, { namespace: 'mine' });
  const lost = { ids: undefined } as unknown as { ids: string[] };
  for (const options of [undefined, {}, lost, { namespace: 'work', ...lost }])
    expect(await rejection(client.forget(options))).toMatchObject({ code: 'invalid_argument' });
  await client.forget({ ids: ['m1'] });
  await client.forget({ namespace: 'work' });
  expect(wire.seen.map(({ json }) => json)).toEqual([
    { namespace: 'mine', ids: ['m1'] },
    { namespace: 'work' },
  ]);
});

it('namespaces and stats use camel case', async () => {
  const work = {
    namespace: 'work_notes',
    memory_count: 2,
    storage_bytes: 3_000,
    newest: '2026-03-02T10:00:00.000Z',
    oldest: '2026-03-01T10:00:00.000Z',
  };
  const stats = {
    memory_count: 2,
    storage_bytes: 3_000,
    stale_count: 1,
    jobs: { running: 0, failed: 1, failed_ids: ['j1'] },
    namespaces: [work],
  };
  await using wire = await startWire(({ path }) => ({
    json: path === '/api/stats' ? stats : { namespaces: [work] },
  }));
  const expected = {
    namespace: 'work_notes',
    memoryCount: 2,
    storageBytes: 3_000,
    newest: work.newest,
    oldest: work.oldest,
  };
  expect(await testClient(wire.url).namespaces()).toEqual([expected]);
  expect(await testClient(wire.url).stats()).toEqual({
    memoryCount: 2,
    storageBytes: 3_000,
    staleCount: 1,
    jobs: { running: 0, failed: 1, failedIds: ['j1'] },
    namespaces: [expected],
  });
});

it('reads and replaces one memory by its id, and sends a namespace only if the call has one', async () => {
  const memory = {
    id: 'm1',
    created_at: 't',
    history: { earlier: [{ id: 'm0', created_at: 's' }], later: [] },
  };
  await using wire = await startWire(({ method }) =>
    method === 'GET' ? { json: memory } : { status: 202, json: { job_id: 'j1', status: 'running' } },
  );
  const client = testClient(wire.url, { namespace: 'own' });
  expect(await client.memory('m/1')).toEqual({
    id: 'm1',
    createdAt: 't',
    history: { earlier: [{ id: 'm0', createdAt: 's' }], later: [] },
  });
  await client.memory('m1', { namespace: 'a&b' });
  const idempotencyKey = 'once';
  expect(await client.replace('m1', 'new', { idempotencyKey })).toEqual({ jobId: 'j1', status: 'running' });
  await client.replace('m1', 'new', { namespace: 'a&b' });
  const [first, second, third, fourth] = wire.seen;
  expect([first!.path, second!.path]).toEqual(['/api/memories/m%2F1', '/api/memories/m1?namespace=a%26b']);
  expect(first!.headers).toHaveProperty('x-enc-session');
  expect(third).toMatchObject({
    path: '/api/memories/m1/replace',
    json: { text: 'new' },
    headers: { 'idempotency-key': 'once' },
  });
  expect(third!.json).not.toHaveProperty('namespace');
  // The relayer reads the fields that the new text keeps
  expect(third!.headers).toHaveProperty('x-enc-session');
  expect(fourth!.json).toEqual({ text: 'new', namespace: 'a&b' });
});

it('retries a job by its id; a job that has not failed is rejected with its own code', async () => {
  const refusal = errorAnswer(409, 'job_not_failed');
  await using wire = await startWire((_, number) =>
    number === 1 ? { status: 202, json: { job_id: 'j1', status: 'running' } } : refusal,
  );
  const client = testClient(wire.url);
  expect(await client.retryJob('j1')).toEqual({ jobId: 'j1', status: 'running' });
  expect(wire.seen[0]).toMatchObject({ method: 'POST', path: '/api/remember/j1/retry' });
  expect(await rejection(client.retryJob('j/1'))).toMatchObject({ code: 'job_not_failed', status: 409 });
  expect(wire.seen[1]!.path).toBe('/api/remember/j%2F1/retry');
  expect(wire.seen.length).toBe(2);
});
