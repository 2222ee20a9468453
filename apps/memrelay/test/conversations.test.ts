import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConversations } from '../src/demo/conversations.ts';

const message = (id: string) => ({ id, speaker: 'Ana', text: `about ${id}` });

describe('the conversations of a file', () => {
  it('are the entries of a list, each with the questions that its own messages answer', () => {
    const entry = (name: string) => ({
      conversation: { session_1: [message(`${name}1`), message(`${name}2`)] },
      qa: [{ question: 'What?', evidence: [`${name}1; ${name}2`, 'elsewhere'] }],
    });
    const found = readConversations('x.json', JSON.stringify([entry('a'), entry('b')]), {});
    expect(found.map(({ name, memories }) => [name, memories.length])).toEqual([
      ['conversation-1', 2],
      ['conversation-2', 2],
    ]);
    expect(found[1]!.questions).toEqual([{ question: 'What?', evidence: ['b1', 'b2'] }]);
  });

  it('are one for a list of messages, with generated questions if there are none', () => {
    const [only, ...more] = readConversations('x.json', JSON.stringify([message('1'), message('2')]), {});
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      made: true,
      questions: [{ question: 'about 1', evidence: ['1'] }, { evidence: ['2'] }],
    });
    expect(readConversations('x.txt', 'one\ntwo', {})[0]).toMatchObject({
      made: true,
      questions: [{ evidence: ['line 1'] }, {}],
    });
  });

  it('can be shortened, which removes questions about the rest', () => {
    const value = {
      sessions: [{ date: '1 May', messages: [message('1'), message('2'), message('3')] }],
      questions: [
        { question: 'First?', evidence: ['1'] },
        { question: 'Third?', evidence: ['3'] },
        { question: 'Second?', evidence: ['2'] },
      ],
    };
    const [short] = readConversations('x.json', JSON.stringify(value), { messages: 2, questions: 5 });
    expect(short!.memories.map(({ text }) => text)).toEqual(['[1 May] Ana: about 1', '[1 May] Ana: about 2']);
    expect(short!.questions.map(({ question }) => question)).toEqual(['First?', 'Second?']);
  });

  it('refer only to existing messages in the example', () => {
    const path = new URL('../../../examples/conversation.json', import.meta.url);
    const [example] = readConversations('conversation.json', readFileSync(path, 'utf8'), {});
    expect(example!.memories.length).toBeGreaterThan(50);
    expect(example!.made).toBe(false);
    for (const { evidence } of example!.questions) expect(evidence.length).toBeGreaterThan(0);
  });
});
