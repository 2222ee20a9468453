import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { Agent, type AgentInputItem, MemorySession, run, setTracingDisabled, Usage } from '@openai/agents';
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents-core/testing';
import { beforeAll, expect, it } from 'vitest';
import { MemRelaySession } from '../src/mem-relay-session.ts';
import { memoryTools } from '../src/memory-tools.ts';

beforeAll(() => setTracingDisabled(true));

const says = (text: string) => modelResponse({ usage: new Usage(), output: [assistantMessage(text)] });
const calls = (name: string, input: Record<string, unknown>) =>
  modelResponse({ usage: new Usage(), output: [functionCall(name, input, { callId: `call-${name}` })] });
const user = (content: string): AgentInputItem => ({ role: 'user', content });
const sessionOf = (memory: ReturnType<typeof createMemoryDouble>, sessionId = 'monday') =>
  new MemRelaySession({ memory, namespace: 'sessions', sessionId });

it("answers any calls as the SDK's own session does", async () => {
  const ours = sessionOf(createMemoryDouble());
  const theirs = new MemorySession({ sessionId: 'monday' });
  const results = [];
  for (const session of [ours, theirs]) {
    const seen: unknown[] = [await session.getSessionId(), await session.getItems(), await session.popItem()];
    await session.addItems([]);
    await session.addItems(['yes', 'no', 'yes', 'yes'].map(user));
    for (const limit of [undefined, 0, 1, 3, 9]) seen.push(await session.getItems(limit));
    seen.push(await session.popItem(), await session.getItems());
    await session.clearSession();
    seen.push(await session.getItems());
    results.push(seen);
  }
  expect(results[0]).toEqual(results[1]);
});

it('sessions do not see each other', async () => {
  const memory = createMemoryDouble();
  await sessionOf(memory, 'monday').addItems([user('yes')]);
  await sessionOf(memory, 'tuesday').addItems([user('no')]);
  await sessionOf(memory, 'monday').clearSession();
  expect(await sessionOf(memory, 'tuesday').getItems()).toEqual([user('no')]);
});

it('an agent continues a conversation, and uses the tools', async () => {
  const memory = createMemoryDouble();
  const model = new ScriptedModel([
    calls('remember', { text: 'Ana likes lemon.' }),
    says('Noted.'),
    calls('recall', { question: 'lemon?' }),
    says('Yes, lemon.'),
  ]);
  const agent = new Agent({ name: 'assistant', model, tools: memoryTools(memory, { namespace: 'ana' }) });
  const first = await run(agent, 'Remember that Ana likes lemon.', { session: sessionOf(memory) });
  expect(first.finalOutput).toBe('Noted.');
  const second = await run(agent, 'Does she?', { session: sessionOf(memory) });
  expect(second.finalOutput).toBe('Yes, lemon.');
  const history = JSON.stringify(await sessionOf(memory).getItems());
  for (const text of ['Remember that', 'Noted.', 'Does she?', 'Yes, lemon.']) expect(history).toContain(text);
  expect(JSON.stringify(model.calls.at(-1))).toContain('Ana likes lemon.');
  expect(memory.calls.find(({ method }) => method === 'remember')).toMatchObject({
    text: 'Ana likes lemon.',
    options: { namespace: 'ana' },
  });
});

it('a failure that the model cannot correct is read by the model, and the run goes on', async () => {
  const memory = createMemoryDouble();
  memory.before('recall', () => Promise.reject(new Error('forbidden')));
  const model = new ScriptedModel([calls('recall', { question: 'tea?' }), says('Sorry.')]);
  const agent = new Agent({ name: 'assistant', model, tools: memoryTools(memory) });
  expect((await run(agent, 'Tea?')).finalOutput).toBe('Sorry.');
  expect(JSON.stringify(model.calls.at(-1))).toContain('An error occurred while running the tool');
});
