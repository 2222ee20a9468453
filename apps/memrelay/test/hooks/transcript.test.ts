import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTranscript, withoutHostText } from '../../src/hooks/transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'memrelay-transcripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const timestamp = '2026-11-23T10:00:00.000Z';

function transcript(name: string, entries: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return path;
}
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  timestamp,
  ...more,
});
const assistant = (content: unknown) => ({
  type: 'assistant',
  message: { role: 'assistant', content },
  timestamp,
});

test('reads what people and agents wrote in Claude Code, and nothing else', async () => {
  const path = transcript('claude.jsonl', [
    { type: 'attachment', attachment: { type: 'hook_additional_context', content: ['"user" memory'] } },
    user('We deploy on Fridays.'),
    assistant([
      { type: 'thinking', thinking: 'secret thoughts' },
      { type: 'text', text: 'Understood.' },
      { type: 'tool_use', name: 'Bash', input: { command: 'cat .env' } },
    ]),
    user([{ type: 'tool_result', content: 'API_KEY=1' }], { toolUseResult: { stdout: 'API_KEY=1' } }),
    user('caveat', { isMeta: true }),
    user('in a subagent', { isSidechain: true }),
    user('a summary', { isCompactSummary: true }),
    user('<command-name>/remember</command-name><command-args>x</command-args>'),
    user([{ type: 'text', text: '<system-reminder>a reminder</system-reminder>And on Mondays we plan.' }]),
  ]);
  const { messages } = await readTranscript(path, 0);
  expect(messages).toEqual([
    { role: 'user', text: 'We deploy on Fridays.', at: timestamp },
    { role: 'assistant', text: 'Understood.', at: timestamp },
    { role: 'user', text: 'And on Mondays we plan.', at: timestamp },
  ]);
});

test('reads the rollouts of Codex', async () => {
  const item = (role: string, type: string, text: string) => ({
    timestamp,
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  });
  const path = transcript('codex.jsonl', [
    { timestamp, type: 'session_meta', payload: { id: '1', instructions: 'user' } },
    item('developer', 'input_text', 'permissions'),
    item('user', 'input_text', '<environment_context>\n<cwd>/x</cwd></environment_context>'),
    item('user', 'input_text', 'We release on Wednesdays.'),
    { timestamp, type: 'response_item', payload: { type: 'function_call', arguments: '{"user":1}' } },
    item('assistant', 'output_text', 'Noted.'),
  ]);
  const { messages } = await readTranscript(path, 0);
  expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: We release on Wednesdays.',
    'assistant: Noted.',
  ]);
});

test('continues where it ended, leaves an unfinished line, and starts again in a shorter file', async () => {
  const path = transcript('growing.jsonl', [user('One.')]);
  const first = await readTranscript(path, 0);
  appendFileSync(path, `${JSON.stringify(user('Two.'))}\n{"type":"user","mess`);
  const second = await readTranscript(path, first.end);
  expect(second.messages.map(({ text }) => text)).toEqual(['Two.']);
  appendFileSync(path, 'age":{"role":"user","content":"Three."}}\n');
  const third = await readTranscript(path, second.end);
  expect(third.messages.map(({ text }) => text)).toEqual(['Three.']);
  writeFileSync(path, `${JSON.stringify(user('New.'))}\n`);
  expect((await readTranscript(path, third.end)).messages.map(({ text }) => text)).toEqual(['New.']);
});

test('never captures recalled memories again', () => {
  expect(withoutHostText('<memrelay-memories namespace="x">\n- "old"\n</memrelay-memories>\nnew')).toBe(
    'new',
  );
  expect(withoutHostText('<memrelay-memories namespace="x">\n- "cut off')).toBe('');
});
