import { expect, test } from 'vitest';
import { capturedTurns } from '../../src/hooks/captured-turns.ts';
import { parseHookInput } from '../../src/hooks/hook-input.ts';
import { conversationTexts } from '../../src/hooks/store-turns.ts';

const turn = (messages: object[]) => parseHookInput(JSON.stringify({ session_id: 's', messages }));

test('prepares each message: no private sections, masks instead of secrets, counts of them', async () => {
  const input = turn([
    { role: 'user', text: 'The password is hunter2. <private>My salary is 1.</private>We use tabs.' },
    { role: 'assistant', text: 'I will use password: hunter2 then.' },
    { role: 'user', text: '<private>only this</private>' },
  ]);
  const captured = await capturedTurns(input, 0, true);
  expect(JSON.stringify(captured)).not.toMatch(/hunter2|salary|only this/);
  expect(captured).toMatchObject({ masked: [{ kind: 'password', count: 2 }], privateSections: 2 });
  expect(captured.messages).toHaveLength(2);
  const open = await capturedTurns(input, 0, false);
  expect(open.messages[0]!.text).toBe('The password is hunter2. We use tabs.');
});

test('leaves out prompts with #nomemory and the answers to them', async () => {
  const input = turn([
    { role: 'user', text: 'We use tabs.' },
    { role: 'user', text: 'A riddle #nomemory' },
    { role: 'assistant', text: 'The answer to the riddle.' },
    { role: 'user', text: 'We use spaces.' },
  ]);
  const { messages } = await capturedTurns(input, 0, true);
  expect(messages.map(({ text }) => text)).toEqual(['We use tabs.', 'We use spaces.']);
});

test('takes the prompt and the answer that Gemini CLI passes', async () => {
  const input = parseHookInput('{"session_id":"s","prompt":"We use tabs.","prompt_response":"Fine."}');
  expect((await capturedTurns(input, 0, true)).messages).toEqual([
    { role: 'user', text: 'We use tabs.' },
    { role: 'assistant', text: 'Fine.' },
  ]);
});

test('splits a long conversation at messages, and keeps the latest parts', () => {
  const messages = [1, 2, 3, 4, 5, 6].map((n) => ({ role: 'user' as const, text: `${n}${'ä'.repeat(40)}` }));
  const texts = conversationTexts(messages, 100).map(({ text }) => text);
  expect(texts.map((text) => text.slice(0, 7))).toEqual(['User: 3', 'User: 4', 'User: 5', 'User: 6']);
  expect(conversationTexts([{ role: 'user', text: 'ä'.repeat(100) }], 51)[0]!.text).toBe(
    `User: ${'ä'.repeat(22)}`,
  );
});
