import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { withMemory } from '@memrelay/ai-sdk';
import { MemRelayChatHistory, MemRelayRetriever, MemRelayStore } from '@memrelay/langchain';
import { MemRelaySession } from '@memrelay/openai-agents';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelayerWorld } from '../../src/relayer-world.ts';

/** Tests the adapters of agent frameworks against a real relayer. What they do with their frameworks is tested with each. */

let world: RelayerWorld;
let memory: MemRelay;

beforeAll(async () => {
  world = await RelayerWorld.create();
  memory = world.client();
});
afterAll(() => world?.close());

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const echo = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: 'text', text: JSON.stringify(prompt) }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: { inputTokens: tokens, outputTokens: tokens },
    warnings: [],
  }),
});

test('a model with memory gets what an earlier call stored', async () => {
  const failures: unknown[] = [];
  const options = { namespace: 'ana', recallTimeoutMs: 60_000, onError: (e: unknown) => failures.push(e) };
  const model = withMemory(echo, { memory, ...options });
  const said = 'I take my tea without milk.';
  expect((await generateText({ model, prompt: said })).text).not.toContain('<memories>');
  expect(await model.flushMemory()).toEqual({ written: 1, failed: 0 });
  await expect
    .poll(async () => (await generateText({ model, prompt: 'How do I drink tea?' })).text)
    .toContain(`- \\"${said}\\" (said by \\"user\\"`);
  await model.flushMemory();
  expect(failures).toEqual([]);
});

test('a model with memory answers although the relayer is not reachable', async () => {
  const failures: string[] = [];
  const unreachable = world.owner.client('http://127.0.0.1:9', { maxAttempts: 1 });
  const onError = (_error: unknown, during: string): void => void failures.push(during);
  const model = withMemory(echo, { memory: unreachable, onError });
  expect((await generateText({ model, prompt: 'How do I drink tea?' })).text).toContain('tea');
  expect(await model.flushMemory()).toMatchObject({ written: 0, failed: 1 });
  expect(failures).toEqual(['recall', 'remember']);
  unreachable.destroy();
});

test('a store has each item from the moment it is put, finds it by meaning, and forgets what was replaced', async () => {
  const store = new MemRelayStore({ memory, namespace: 'store' });
  const ana = ['users', 'ana'];
  await Promise.all([
    store.put(ana, 'drink', { text: 'Ana drinks tea without milk.' }),
    store.put(ana, 'home', { text: 'Ana lives in Porto.' }),
    store.put(['users', 'bob'], 'drink', { text: 'Bob drinks coffee.' }),
  ]);
  expect((await store.get(ana, 'home'))!.value).toEqual({ text: 'Ana lives in Porto.' });
  expect(await store.get(ana, 'nothing')).toBeNull();
  expect(await store.listNamespaces()).toEqual([ana, ['users', 'bob']]);
  expect(await store.search(['users'], { filter: { text: 'Bob drinks coffee.' } })).toHaveLength(1);
  await expect
    .poll(async () => (await store.search(ana, { query: 'How does she drink her tea?' }))[0])
    .toMatchObject({ key: 'drink', namespace: ana, score: expect.any(Number) });
  await store.put(ana, 'drink', { text: 'Ana drinks tea with lemon.' });
  await store.delete(ana, 'home');
  expect((await store.search(ana)).map(({ value }) => value)).toEqual([
    { text: 'Ana drinks tea with lemon.' },
  ]);
  const { results } = await memory.recall('Ana', { namespace: 'store' });
  expect(results.map(({ text }) => text).join()).not.toMatch(/without milk|Porto/);
});

test('histories and sessions keep the order of many equal messages', async () => {
  const history = new MemRelayChatHistory({ memory, namespace: 'records', sessionId: 'history' });
  const texts = Array.from({ length: 25 }, (_, i) => (i % 3 === 0 ? 'yes' : `message ${i}`));
  await history.addMessages(texts.map((text) => new HumanMessage(text)));
  await history.addMessage(new AIMessage('yes'));
  expect((await history.getMessages()).map(({ text }) => text)).toEqual([...texts, 'yes']);

  const session = new MemRelaySession({ memory, namespace: 'records', sessionId: 'session' });
  await session.addItems(texts.map((content) => ({ role: 'user', content })));
  expect(await session.getItems(2)).toMatchObject([{ content: 'message 23' }, { content: 'yes' }]);
  expect(await session.popItem()).toMatchObject({ content: 'yes' });
  expect(await session.getItems()).toHaveLength(24);
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
  expect(await history.getMessages()).toHaveLength(26);
});

test('a retriever returns memories as documents with their metadata', async () => {
  await memory.rememberAndWait('The meter reads 4711.', { namespace: 'home', metadata: { source: 'photo' } });
  const retriever = new MemRelayRetriever({ memory, namespace: 'home' });
  const [document] = await retriever.invoke('What does the meter read?');
  expect(document).toMatchObject({
    pageContent: 'The meter reads 4711.',
    metadata: { source: 'photo', id: expect.any(String), score: expect.any(Number) },
  });
});
