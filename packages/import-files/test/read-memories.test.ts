import { limits } from '@memrelay/protocol/limits';
import { describe, expect, it } from 'vitest';
import { ImportFileError } from '../src/import-file-error.ts';
import { readMemories } from '../src/read-memories.ts';

const texts = (path: string, content: string): string[] =>
  readMemories(path, content).memories.map(({ text }) => text);
const ofJson = (value: unknown): string[] => texts('chat.json', JSON.stringify(value));

describe('a text file', () => {
  it('has one memory per line, and skips empty lines with any line ending', () => {
    expect(texts('notes.txt', '\ufeffone\r\n\r\n  two  \n   \nthree')).toEqual(['one', 'two', 'three']);
  });

  it('names the line of a text that no relayer accepts, and keeps the others', () => {
    const { memories, refused } = readMemories('notes.txt', `one\n${'x'.repeat(limits.textBytes + 1)}\ntwo`);
    expect(memories.map(({ place }) => place)).toEqual(['line 1', 'line 3']);
    expect(refused).toEqual([{ place: 'line 2', reason: expect.stringContaining('at most') }]);
  });

  it('is rejected with a readable message if it is empty', () => {
    expect(() => texts('notes.txt', ' \n\n')).toThrow(ImportFileError);
  });
});

describe('chat JSON', () => {
  it('of sessions: the speaker comes first, with the date next to the session', () => {
    const value = [
      {
        conversation: {
          speaker_a: 'Ana',
          session_1_date_time: '1 May, 2026',
          session_1: [{ speaker: 'Ana', dia_id: 'D1:1', text: 'Hi', blip_caption: 'a red boat' }],
          session_2_date_time: '2 May, 2026',
          session_2: [{ speaker: 'Ben', dia_id: 'D2:1', text: 'Ho' }],
        },
        qa: [{ question: 'Who?', answer: 'Ana', evidence: ['D1:1'] }],
        observation: { session_1_observation: { Ana: [['She greets.', 'D1:1']] } },
      },
    ];
    expect(ofJson(value)).toEqual(['[1 May, 2026] Ana: Hi [picture: a red boat]', '[2 May, 2026] Ben: Ho']);
    const [first] = readMemories('chat.json', JSON.stringify(value)).memories;
    expect(first).toMatchObject({ id: 'D1:1', place: 'message D1:1' });
  });

  it("prefers a message's own date, also as seconds or milliseconds since 1970", () => {
    const message = { from: 'Ana', body: 'Hi' };
    expect(ofJson({ date: '1 May', messages: [{ ...message, timestamp: 1_772_000_000 }] })).toEqual([
      '[2026-02-25 06:13] Ana: Hi',
    ]);
    expect(ofJson({ messages: [{ ...message, ts: '1772000000000' }] })).toEqual([
      '[2026-02-25 06:13] Ana: Hi',
    ]);
  });

  it('of model APIs: content in parts, the author as an object, wrapped in trees', () => {
    expect(
      ofJson({
        mapping: {
          a: { message: { author: { role: 'user' }, content: { parts: ['How', ' so?'] } }, children: ['b'] },
          b: { message: { author: { role: 'assistant' }, content: [{ type: 'text', text: 'Thus.' }] } },
          c: { message: { author: { role: 'tool' }, content: [{ type: 'image' }] } },
        },
      }),
    ).toEqual(['user: How so?', 'assistant: Thus.']);
  });

  it('without speakers, as plain texts, and as JSON Lines', () => {
    expect(ofJson([{ text: 'one' }, { text: 'two' }])).toEqual(['one', 'two']);
    expect(ofJson(['one', ' ', 'two'])).toEqual(['one', 'two']);
    expect(texts('log.jsonl', '{"role":"user","content":"one"}\n{"role":"user","content":"two"}\n')).toEqual([
      'user: one',
      'user: two',
    ]);
  });

  it('is rejected with a readable message if broken or without text', () => {
    expect(() => texts('chat.json', '{"a": ')).toThrow('not valid JSON');
    expect(() => ofJson({ a: [1, 2, { b: null }] })).toThrow('holds nothing to remember');
  });
});
