import { questionOf } from '@memrelay/text-index/question';
import { termsOf } from '@memrelay/text-index/words/terms';
import { describe, expect, test } from 'vitest';
import { createBlindIndex } from '../../src/index/keywords/blind-index.ts';

describe('the blind index', () => {
  const index = createBlindIndex(Buffer.alloc(32, 1), true);
  const account = Buffer.alloc(32, 2);
  const tag = Buffer.alloc(16, 3);

  test('stores a token per term with its frequency in three steps, and no order', async () => {
    const entry = (await index.entryOf(account, tag, 'violin tea tea garden garden garden garden'))!;
    const [tea, garden, violin] = ['tea', 'garden', 'violin'].map(
      (word) => index.questionTokens(account, tag, questionOf(word, false)).terms[0]!,
    );
    expect(new Set(entry.tokens)).toEqual(new Set([tea, garden, violin]));
    expect(new Set(entry.twice)).toEqual(new Set([tea, garden]));
    expect(entry.often).toEqual([garden]);
    expect([...entry.tokens].sort((a, b) => (a < b ? -1 : 1))).toEqual(entry.tokens);
    expect(await index.entryOf(account, tag, 'garden tea garden violin garden tea garden')).toEqual(entry);
  });

  test('uses other tokens for another key, account or namespace', () => {
    const of = (from: typeof index, whose: Buffer, where: Buffer) =>
      from.questionTokens(whose, where, questionOf('tea garden', false)).terms;
    const all = [
      of(index, account, tag),
      of(createBlindIndex(Buffer.alloc(32, 9), true), account, tag),
      of(index, Buffer.alloc(32, 9), tag),
      of(index, account, Buffer.alloc(16, 9)),
    ].flat();
    expect(new Set(all).size).toBe(8);
  });

  test('queries each term once, at most 64; terms of a text are limited too', async () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i}x`).join(' ');
    const asked = index.questionTokens(account, tag, questionOf(`tea tea ${words}`, false));
    expect([asked.terms.length, asked.truncated]).toEqual([64, true]);
    const first = words.split(' ').slice(0, 20).join(' ');
    expect(questionOf(first, false)).toMatchObject({ truncated: false });
    expect((await index.entryOf(account, tag, words))!.tokens.length).toBe(16_384);
  });

  test('is computed in steps for a long text, with the same result', async () => {
    const words = Array.from({ length: 9_000 }, (_, i) => `word${i % 7_000}x, it's\n`).join(' ');
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const { tokens, twice, often } = (await index.entryOf(account, tag, words))!;
    clearInterval(counting);
    expect(turns).toBeGreaterThan(1);
    const counts = new Map<string, number>();
    for (const term of termsOf(words)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const atLeast = (least: number) => [...counts.values()].filter((times) => times >= least).length;
    expect([tokens.length, twice.length, often.length]).toEqual([1, 2, 3].map(atLeast));
    const endless = 'ab1'.repeat(30_000);
    expect((await index.entryOf(account, tag, endless))!.tokens.length).toBeLessThan(20);
  });

  test('stores nothing when it is off', async () => {
    const off = createBlindIndex(Buffer.alloc(32, 1), false);
    expect([
      await off.entryOf(account, tag, 'tea'),
      off.questionTokens(account, tag, questionOf('tea', false)).terms,
    ]).toEqual([undefined, []]);
  });
});
