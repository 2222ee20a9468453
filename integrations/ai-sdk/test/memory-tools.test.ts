import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { generateText, isStepCount } from 'ai';
import { expect, it } from 'vitest';
import { memoryTools } from '../src/memory-tools.ts';
import { createMockModel } from './mock-model.ts';

it('a model remembers, recalls and forgets with the tools', async () => {
  const memory = createMemoryDouble();
  const { model, prompts } = createMockModel(
    { tool: 'remember', input: { text: 'Ana likes lemon.' } },
    { tool: 'recall', input: { question: 'What does Ana like?' } },
    { tool: 'forget', input: { ids: ['memory-1'] } },
    'Done.',
  );
  const tools = memoryTools(memory, { namespace: 'ana', forgets: true });
  const { text } = await generateText({ model, tools, prompt: 'Go.', stopWhen: isStepCount(5) });
  expect(text).toBe('Done.');
  expect(prompts[3]).toContain('Remembered (id memory-1).');
  expect(prompts[3]).toContain('\\"Ana likes lemon.\\" (id memory-1');
  expect(prompts[3]).toContain('1 deleted.');
  expect(memory.stored()).toEqual([]);
  expect(model.doGenerateCalls[0]!.tools!.map(({ name }) => name)).toEqual(['recall', 'remember', 'forget']);
});

it('a failure that the model cannot correct is a tool error, and the run goes on', async () => {
  const memory = createMemoryDouble();
  memory.before('recall', () => Promise.reject(new Error('forbidden')));
  const { model, prompts } = createMockModel({ tool: 'recall', input: { question: 'tea?' } }, 'Sorry.');
  const tools = memoryTools(memory);
  const { text } = await generateText({ model, tools, prompt: 'Go.', stopWhen: isStepCount(2) });
  expect(text).toBe('Sorry.');
  expect(prompts[1]).toContain('forbidden');
});
