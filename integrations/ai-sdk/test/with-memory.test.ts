import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import type { MemoryOptions } from '../src/memory-options.ts';
import { withMemory } from '../src/with-memory.ts';
import { createMockModel, type Reply } from './mock-model.ts';

const milk = 'I take my tea without milk.';
const prompt = 'How do I drink tea?';

function start(options: Partial<MemoryOptions> = {}, ...replies: Reply[]) {
  const memory = createMemoryDouble([milk]);
  const { model, prompts } = createMockModel(...replies, 'Without milk.');
  const wrapped = withMemory(model, { memory, recallTimeoutMs: 60_000, ...options });
  const written = () =>
    memory.calls
      .filter(({ method }) => method !== 'recall')
      .map(({ method, text, options: { speaker } }) => [method, speaker, text]);
  return { memory, model: wrapped, prompts, written };
}

const run = {
  generateText: async (options: Parameters<typeof generateText>[0]) => (await generateText(options)).text,
  streamText: async (options: Parameters<typeof generateText>[0]) => {
    let text = '';
    for await (const delta of streamText(options as Parameters<typeof streamText>[0]).textStream)
      text += delta;
    return text;
  },
};

for (const [name, answer] of Object.entries(run)) {
  it(`${name}: recalls into the user's message and stores what the user said`, async () => {
    const { memory, model, prompts, written } = start({ namespace: 'ana', session: 'monday' });
    expect(await answer({ model, prompt, system: 'Be brief.' })).toBe('Without milk.');
    const [system, user, ...rest] = JSON.parse(prompts[0]!);
    expect(rest).toEqual([]);
    expect(system).toMatchObject({ role: 'system', content: 'Be brief.' });
    expect(user.role).toBe('user');
    expect(user.content[0].text).toMatch(/^<memories>\n.*never instructions/);
    expect(user.content[0].text).toContain(`- "${milk}"`);
    expect(user.content[1].text).toBe(prompt);
    expect(await model.flushMemory()).toEqual({ written: 1, failed: 0 });
    expect(written()).toEqual([['remember', 'user', prompt]]);
    for (const { options } of memory.calls) expect(options.namespace).toBe('ana');
    expect(memory.calls[1]!.options).toMatchObject({ session: 'monday', happenedAt: expect.any(Date) });
  });

  it(`${name}: answers although recalls and writes fail`, async () => {
    const errors: string[] = [];
    const { memory, model, prompts } = start({
      onError: (error, during) => errors.push(`${during}: ${(error as Error).message}`),
    });
    memory.before('recall', () => Promise.reject(new Error('no relayer')));
    memory.before('remember', () => Promise.reject(new Error('read-only key')));
    expect(await answer({ model, prompt })).toBe('Without milk.');
    expect(prompts[0]).not.toContain('<memories>');
    expect(await model.flushMemory()).toMatchObject({ written: 0, failed: 1 });
    expect(errors).toEqual(['recall: no relayer', 'remember: read-only key']);
  });

  it(`${name}: answers while the relayer hangs`, async () => {
    const { memory, model, prompts } = start({ recallTimeoutMs: 20 });
    const never = new Promise<never>(() => undefined);
    for (const method of ['recall', 'remember']) memory.before(method, () => never);
    expect(await answer({ model, prompt })).toBe('Without milk.');
    expect(prompts[0]).not.toContain('<memories>');
  });

  it(`${name}: does not ask a relayer that is down for every answer, and reports the outage once`, async () => {
    const errors: string[] = [];
    const onError = (error: unknown) => void errors.push((error as Error).name);
    const { memory, model } = start({ remember: 'nothing', onError });
    memory.before('recall', () => Promise.reject(new TypeError('no relayer')));
    for (let i = 0; i < 8; i++) expect(await answer({ model, prompt })).toBe('Without milk.');
    expect(memory.calls).toHaveLength(3);
    expect(errors).toEqual(['TypeError', 'TypeError', 'RecallPausedError']);
  });

  it(`${name}: the steps of a call with tools share one recall, and each text is stored once`, async () => {
    const { memory, model, prompts, written } = start(
      { remember: 'conversation' },
      { tool: 'clock', input: {} },
    );
    const clock = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => 'noon' });
    expect(await answer({ model, prompt, tools: { clock }, stopWhen: isStepCount(3) })).toBe('Without milk.');
    expect(prompts).toHaveLength(2);
    for (const each of prompts) expect(each.match(/<memories>/g)).toHaveLength(1);
    expect(prompts[1]).toContain('noon');
    await model.flushMemory();
    expect(memory.calls.filter(({ method }) => method === 'recall')).toHaveLength(1);
    expect(written()).toEqual([
      ['remember', 'user', prompt],
      ['remember', 'assistant', 'Without milk.'],
    ]);
  });
}

it('stores facts, or nothing, as configured', async () => {
  const facts = start({ remember: 'facts' });
  await generateText({ model: facts.model, prompt });
  await facts.model.flushMemory();
  expect(facts.written()).toEqual([['analyze', undefined, `User: ${prompt}\n\nAssistant: Without milk.`]]);
  const nothing = start({ remember: 'nothing' });
  await generateText({ model: nothing.model, prompt });
  expect(await nothing.model.flushMemory()).toEqual({ written: 0, failed: 0 });
});

it('masks secrets and removes private sections of what is stored and searched for, unless told otherwise', async () => {
  const said = 'The staging password is hunter2. <private>I am looking for a new job.</private>';
  const masked: unknown[] = [];
  const { model, written, memory, prompts } = start({ onMasked: (secrets) => masked.push(...secrets) });
  await generateText({ model, prompt: said });
  await generateText({ model, prompt: '<private>only this</private>' });
  await model.flushMemory();
  expect(written()).toEqual([['remember', 'user', 'The staging password is [masked: password].']]);
  expect(masked).toEqual([{ kind: 'password', count: 1 }]);
  const recalls = memory.calls.filter(({ method }) => method === 'recall');
  expect(recalls).toHaveLength(1);
  expect(JSON.stringify(recalls)).not.toMatch(/hunter2|new job/);
  expect(prompts[0]).toContain('hunter2');
  const open = start({ maskSecrets: false });
  await generateText({ model: open.model, prompt: said });
  await open.model.flushMemory();
  expect(open.written()).toEqual([['remember', 'user', 'The staging password is hunter2.']]);
});

it('masks texts before they are stored, and stores nothing if masking fails', async () => {
  const { model, written } = start({ mask: (text) => text.replace('Ana', '[name]') });
  await generateText({ model, prompt: 'Ana keeps bees.' });
  await model.flushMemory();
  expect(written()).toEqual([['remember', 'user', '[name] keeps bees.']]);
  const failing = start({ mask: () => Promise.reject(new Error('mask')) });
  await generateText({ model: failing.model, prompt });
  expect(await failing.model.flushMemory()).toMatchObject({ written: 0, failed: 1 });
  expect(failing.written()).toEqual([]);
});

it('does not repeat what is in the conversation, and recalls nothing for a message without text', async () => {
  const { model, prompts, memory } = start();
  await generateText({ model, prompt: milk });
  expect(prompts[0]).not.toContain('<memories>');
  const image = { type: 'file', mediaType: 'image/png', data: new Uint8Array([1]) } as const;
  await generateText({ model, messages: [{ role: 'user', content: [image] }] });
  expect(memory.calls.filter(({ method }) => method === 'recall')).toHaveLength(1);
});

it('keeps the block within the token budget; 0 turns recalling off', async () => {
  const counted: number[] = [];
  const countTokens = (text: string): number => counted.push(text.length) && text.length;
  const { model, prompts, memory } = start({ tokenBudget: 600, countTokens });
  for (let i = 0; i < 30; i++) await memory.remember(`Fact number ${i}: ${'x'.repeat(40)}`);
  await generateText({ model, prompt });
  const block = JSON.parse(prompts[0]!)[0].content[0].text;
  expect(block.length).toBeLessThanOrEqual(600);
  expect(block).toContain('Fact number 29');
  expect(block).not.toContain('Fact number 9');
  const off = start({ tokenBudget: 0 });
  await generateText({ model: off.model, prompt });
  expect(off.memory.calls.map(({ method }) => method)).not.toContain('recall');
});

it('stores no answer of a stream that failed or was cancelled', async () => {
  const memory = createMemoryDouble();
  const broken = new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'text-start', id: '1' } as const,
        { type: 'text-delta', id: '1', delta: 'Half' } as const,
        { type: 'error', error: new Error('overloaded') } as const,
      ]),
    }),
  });
  const model = withMemory(broken, { memory, remember: 'conversation' });
  await streamText({ model, prompt, onError: () => undefined }).consumeStream();
  expect(await model.flushMemory()).toEqual({ written: 0, failed: 0 });
  const { model: endless } = start({ remember: 'conversation' }, 'Very long');
  for await (const _ of streamText({ model: endless, prompt }).textStream) break;
  expect(await endless.flushMemory()).toEqual({ written: 0, failed: 0 });
});
