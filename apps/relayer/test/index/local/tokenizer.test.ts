import { readFileSync } from 'node:fs';
import { createTokenizer } from '@memrelay/relayer/index/embedding/local/tokenizer';
import { meanOfRows, windowsOf } from '@memrelay/relayer/index/embedding/local/windows';
import { describe, expect, it } from 'vitest';

interface Table {
  /** Id by token */
  vocabulary: Record<string, number>;
  texts: { name: string; text: string; ids: number[] }[];
}

const table = JSON.parse(readFileSync(new URL('./word-pieces.json', import.meta.url), 'utf8')) as Table;

function vocabularyText(): string {
  const lines: string[] = [];
  for (const [token, id] of Object.entries(table.vocabulary)) lines[id] = token;
  return Array.from(lines, (token) => token ?? '').join('\n');
}

describe('the tokenizer', () => {
  const tokenizer = createTokenizer(vocabularyText());

  it.each(table.texts)('returns the ids of the original tokenizer: $name', ({ text, ids }) => {
    expect([tokenizer.start, ...tokenizer.idsOf(text), tokenizer.end]).toEqual(ids);
  });

  it('treats the names of special tokens as text', () => {
    expect(tokenizer.idsOf('[SEP]')).not.toContain(tokenizer.end);
  });

  it('rejects a vocabulary without special tokens', () => {
    expect(() => createTokenizer('a\nb\n')).toThrow('the vocabulary has no [UNK]');
  });

  it('cuts a long text into windows of at most the limit, each with the prefix, and loses no token', () => {
    const text = 'new line x '.repeat(100);
    const windows = windowsOf(tokenizer, 'x ', text, 64);
    expect(windows.every((ids) => ids.length <= 64)).toBe(true);
    expect(windows.every((ids) => ids[1] === tokenizer.idsOf('x')[0])).toBe(true);
    expect(windows.flatMap((ids) => ids.slice(2, -1))).toEqual(tokenizer.idsOf(text));
    expect(windowsOf(tokenizer, '', '', 64)).toEqual([[tokenizer.start, tokenizer.end]]);
  });

  it('averages rows, and rejects another number of values', () => {
    expect(meanOfRows(Float32Array.of(1, 2, 3, 6), 2)).toEqual(Float32Array.of(2, 4));
    expect(() => meanOfRows(Float32Array.of(1, 2, 3), 2)).toThrow('not rows of 2');
  });
});
