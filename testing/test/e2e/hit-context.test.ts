import { randomUUID } from 'node:crypto';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';

/** Tests `context` of recall and ask: what was stored right before and after each hit. */

let world: RelayerWorld;
let provider: EmbeddingProvider;
let client: MemRelay;
let namespace: string;

beforeAll(async () => {
  provider = await startEmbeddingProvider();
  world = await RelayerWorld.create({ environment: { LLM_API_KEY: 'test', LLM_API_BASE: provider.url } });
  client = world.client();
});
afterAll(async () => {
  await world?.close();
  await provider?.close();
});
beforeEach(async () => {
  namespace = randomUUID();
});

const turns = ['Bo: hello', 'Ana: so many rehearsals', 'Bo: of what?', 'Ana: my cello', 'Bo: since when?'];
async function conversation(): Promise<string[]> {
  const jobs = await client.rememberBulkAndWait(turns.map((text) => ({ text, namespace })));
  return jobs.map(({ jobId }) => jobId);
}
const textsOf = (memories: { text: string }[] = []) => memories.map(({ text }) => text);

test('returns the texts around each hit in their order, also those that are hits themselves', async () => {
  const ids = await conversation();
  await client.rememberAndWait('Bo: a cello elsewhere', { namespace: randomUUID() });
  const [hit, ...others] = (await client.recall('cello', { namespace, context: 2 })).results;
  expect(others).toEqual([]);
  expect(hit!.text).toBe('Ana: my cello');
  expect(hit!.context).toEqual({
    before: [1, 2].map((i) => ({ id: ids[i], text: turns[i], createdAt: expect.stringMatching(/Z$/) })),
    after: [{ id: ids[4], text: turns[4], createdAt: expect.any(String) }],
  });
  const both = await client.recall('cello rehearsals', { namespace, context: 3 });
  expect(new Set(textsOf(both.results))).toEqual(new Set([turns[1], turns[3]]));
  const cello = both.results.find(({ text }) => text === turns[3])!;
  expect(textsOf(cello.context!.before)).toEqual(turns.slice(0, 3));
  for (const options of [{}, { context: 0 }])
    expect((await client.recall('cello', { namespace, ...options })).results[0]).not.toHaveProperty(
      'context',
    );
});

test('never contains what was forgotten, and is empty at the edge of a namespace', async () => {
  const ids = await conversation();
  await client.forget({ ids: [ids[2]!], namespace });
  const { context } = (await client.recall('cello', { namespace, context: 1 })).results[0]!;
  expect([textsOf(context!.before), textsOf(context!.after)]).toEqual([[turns[1]], [turns[4]]]);
  await client.forget({ ids: [ids[0]!, ids[1]!, ids[4]!], namespace });
  const alone = (await client.recall('cello', { namespace, context: 3 })).results[0]!;
  expect(alone.context).toEqual({ before: [], after: [] });
});

test('includes pending memories exactly if the recall does', async () => {
  await conversation();
  provider.chat.calls.length = 0;
  const { jobId } = await client.remember('Ana: a month', { namespace });
  await expect
    .poll(async () => (await client.memoriesPage({ namespace })).memories.some(({ id }) => id === jobId))
    .toBe(true);
  const asked = await client.recall('cello', { namespace, context: 3, includePending: true });
  expect(textsOf(asked.results[0]!.context!.after)).toEqual([turns[4], 'Ana: a month']);
});

test('is read by the model of ask, and cited with its hit', async () => {
  await conversation();
  provider.chat.answer = () => ({ content: { known: true, answer: 'She plays the cello [m1].' } });
  provider.chat.calls.length = 0;
  const answer = await client.ask('whose cello?', { namespace, context: 1 });
  expect(textsOf(answer.memories[0]!.context!.before)).toEqual([turns[2]]);
  const { memories } = JSON.parse(provider.chat.calls[0]!.messages[1]!.content);
  expect(memories).toEqual([
    { id: 'm1', text: turns[3], before: [turns[2]], after: [turns[4]], stored: expect.any(String) },
  ]);
});

test.each([-1, 4, 1.5, '2', null])('rejects %j', async (context) => {
  const answer = await rawRequest(world.relayer.url, world.owner.delegate, {
    path: '/api/recall',
    accountId: world.owner.accountId,
    body: { query: 'q', context },
  });
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  expect(answer.body.details.issues[0].path).toBe('context');
});
