import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStringReader } from '../../src/language/llm/json-string.ts';
import { askPrompt } from '../../src/language/prompts/ask.ts';
import { extractPrompt } from '../../src/language/prompts/extract.ts';
import { rerankPrompt } from '../../src/language/prompts/rerank.ts';
import { createCitations } from '../../src/memories/answers/citations.ts';
import { localAnswer } from '../../src/memories/answers/local-answer.ts';
import { quotedMemories } from '../../src/memories/answers/quoted-memories.ts';
import { inOrder } from '../../src/memories/answers/rerank.ts';

/** A text split into pieces of any size. */
const cut = (text: string, sizes: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const end = at + Math.max(1, sizes[i % sizes.length] ?? 1);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
};
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

test('changes the version when a prompt changes', () => {
  const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
  expect(
    [extractPrompt, askPrompt, rerankPrompt].map(({ version, text }) => `${version} ${fingerprint(text)}`),
  ).toMatchInlineSnapshot(`
    [
      "extract.v1 224c9cb73029f0d4",
      "ask.v2 0d3d22693d3af1ef",
      "rerank.v1 95d02bafd4ea2270",
    ]
  `);
});

test.each([
  [
    [2, 1, 3],
    [1, 0, 2],
  ],
  [[3], [2, 0, 1]],
  [
    [3, 3, 0, -1, 4, 1.5, 1e9, 2],
    [2, 1, 0],
  ],
  [[], [0, 1, 2]],
])('the order %j of a model is only an order of the hits', (numbers, expected) => {
  expect(inOrder(3, numbers)).toEqual(expected);
});

describe('citations in an answer', () => {
  const rewritten = (text: string, offered = 3, pieces = [text]) => {
    const citations = createCitations(offered);
    const shown = pieces.map((piece) => citations.push(piece)).join('') + citations.end();
    return { shown, used: [...citations.used] };
  };

  test.each([
    ['Tea [m2]. Milk [m1], tea [m2].', 'Tea [1]. Milk [2], tea [1].', [1, 0]],
    ['Both [m1, m3] [m3;m1].', 'Both [1][2] [2][1].', [0, 2]],
    ['None [m4] here [m0][m99999999999].', 'None here.', []],
    ['Half [m1, m9].', 'Half [1].', [0]],
    ['His own [1] and [2, 3] and [].', 'His own (1) and (2, 3) and.', []],
    ['A list [of things] and [m1', 'A list [of things] and [m1', []],
    ['Twice [m1 m1].', 'Twice [1].', [0]],
  ])('%s', (text, shown, used) => expect(rewritten(text)).toEqual({ shown, used }));

  test('are the same however the answer is split, and each number refers to an offered memory', () => {
    const parts = fc.constantFrom(
      '[m1]',
      '[m2',
      ', m3]',
      '[',
      ']',
      '[7]',
      ' ',
      'word',
      '\n',
      '[m5]',
      '🐝',
      ',',
      'm1',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 25 }), sizes, (words, lengths) => {
        const text = words.join('');
        const whole = rewritten(text);
        expect(rewritten(text, 3, cut(text, lengths))).toEqual(whole);
        for (const [, number] of whole.shown.matchAll(/\[(\d+)\]/g))
          expect(Number(number)).toBeLessThanOrEqual(whole.used.length);
        for (const position of whole.used) expect(position).toBeLessThan(3);
      }),
      { numRuns: 300 },
    );
  });

  test('scans a long run of white space only once', () => {
    const started = performance.now();
    expect(rewritten(`a${' '.repeat(100_000)}b${' '.repeat(100_000)}[m1]`).used).toEqual([0]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('removes terminal control characters, and keeps line breaks', () =>
    expect(rewritten('a\u001b[31m\nb\u202ec\u0000').shown).toBe('a[31m\nbc'));
});

describe('a string that is decoded while its JSON arrives', () => {
  test('equals the result of JSON.parse, however it is split', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.boolean(),
        sizes,
        (answer, escaped, lengths) => {
          let text = JSON.stringify({ known: true, answer });
          if (escaped)
            text = text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
          const reader = createStringReader('answer');
          const read = cut(text, lengths).map((piece) => reader.push(piece));
          expect(read.join('')).toBe(answer);
          for (const piece of read) expect(piece.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('may contain control characters that JSON allows', () =>
    expect(createStringReader('answer').push('{"answer":"a\u007fb\u0085c"')).toBe('a\u007fb\u0085c'));

  test('is decoded up to the first invalid character', () => {
    const reader = createStringReader('answer');
    expect(reader.push('{"known":true,"answer":"one\\x two"')).toBe('one');
    expect(reader.push(', more')).toBe('');
    expect(createStringReader('answer').push('no JSON at all')).toBe('');
  });
});

describe("memories in the model's input", () => {
  const hit = (id: string, text: string, more = {}) => ({
    id,
    blob_id: id,
    text,
    distance: 0.2,
    created_at: '2026-03-02T10:00:00.000Z',
    ...more,
  });

  test('are a document with labels, dates and replacements', async () => {
    const { document, offered } = await quotedMemories('where?', [
      hit('a', 'Ana lives in Lisbon.'),
      hit('b', 'Ana lives in Porto.', { superseded_by: 'a' }),
      hit('c', 'Ana lived in Faro.', { superseded_by: 'not among them' }),
    ]);
    expect(offered).toBe(3);
    expect(JSON.parse(document)).toEqual({
      question: 'where?',
      memories: [
        { id: 'm1', text: 'Ana lives in Lisbon.', stored: '2026-03-02' },
        { id: 'm2', text: 'Ana lives in Porto.', stored: '2026-03-02', replaced_by: 'm1' },
        { id: 'm3', text: 'Ana lived in Faro.', stored: '2026-03-02' },
      ],
    });
  });

  test('are as many as fit, each with its relevant excerpt, of a hundred memories of one megabyte', async () => {
    const filler = 'Nothing of interest stands here at all. '.repeat(13_000);
    const long = `${filler}The parcel is in the blue cupboard. ${filler}`;
    const hits = Array.from({ length: 100 }, (_, i) => hit(String(i), long));
    const { document, offered } = await quotedMemories('In which cupboard is the parcel?', hits);
    expect(offered).toBeGreaterThan(5);
    expect(document.length).toBeLessThan(80_000);
    for (const memory of JSON.parse(document).memories) {
      expect(memory.text).toContain('blue cupboard');
      expect(memory.cut).toBe(true);
    }
  });

  test('quotes the best three hits without a model', () => {
    const hits = ['one', 'two\n lines', 'x'.repeat(900), 'four'].map((text, i) => hit(String(i), text));
    const { answer, memories } = localAnswer(hits)!;
    expect(answer).toBe(`“one” [1]\n“two lines” [2]\n“${'x'.repeat(500)} …” [3]`);
    expect(memories.map(({ id }) => id)).toEqual(['0', '1', '2']);
    expect(localAnswer([])).toBeUndefined();
  });
});
