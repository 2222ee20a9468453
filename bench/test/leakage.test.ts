import { indexParts } from '@memrelay/dev-env/index-parts';
import { expect, test } from 'vitest';
import { gaussian, seededRandom } from '../src/leakage/random.ts';
import type { Namespace, Row } from '../src/leakage/rows.ts';
import { rowsOf } from '../src/leakage/variants.ts';
import { guessing, reconstruction } from '../src/leakage/vector-attacks.ts';
import { chosenWords, knownTexts } from '../src/leakage/word-attacks.ts';

const { createBlindIndex, accountMap, noQuestion, normalize, termsOf } = indexParts;

/** docs/security.md, "What a dump reveals": the results of the attacks on rows as the relayer writes them. */

const dimension = 64;
const map = accountMap(Buffer.alloc(32, 3), dimension);
const index = createBlindIndex(Buffer.alloc(32, 4), true);
const [account, tag] = [Buffer.alloc(32, 5), Buffer.alloc(16, 6)];
const random = seededRandom(1);
const token = (term: string): string =>
  String(index.questionTokens(account, tag, { ...noQuestion, terms: [term] }).terms[0]);
const words = ['tea', 'harbour', 'violin', 'garden', 'lemon', 'bench', 'parcel', 'lighthouse'];
const rows = await Promise.all(
  Array.from({ length: 80 }, async (_, i): Promise<Row> => {
    const text = words.filter(() => random() < 0.4).join(' ');
    const plain = normalize(Float32Array.from({ length: dimension }, () => gaussian(random)));
    const entry = (await index.entryOf(account, tag, text))!;
    return {
      id: String(i),
      plain,
      stored: map.apply(plain),
      tokens: new Map(entry.tokens.map((each) => [String(each), 1])),
      lengthBucket: entry.lengthBucket,
      terms: new Map(termsOf(text).map((term) => [term, 1])),
    };
  }),
);
const namespace: Namespace = { name: 'n', rows, questions: [], tokenOf: token };
const plain = rows.map((row) => row.plain);

test('one known text allows recognizing a guess, because the map preserves inner products', () => {
  expect(guessing(rows.slice(0, 1), rows.slice(1), plain)).toBe(1);
});

test('as many known texts as a vector has dimensions allow reconstructing every vector', () => {
  expect(reconstruction(rows.slice(0, dimension), rows.slice(dimension), false)).toBeCloseTo(1, 2);
  expect(reconstruction(rows.slice(0, 8), rows.slice(8), false)).toBeLessThan(0.6);
});

test('known texts reveal the tokens of their words', () => {
  expect(knownTexts(namespace, rows.slice(0, 40), rows.slice(40))).toBe(1);
  expect(knownTexts(namespace, rows.slice(0, 1), rows.slice(1))).toBeLessThan(0.5);
});

test('a text of one word reveals its token, and padding only makes the attacker write more texts', () => {
  const chosen = words.map((word) => termsOf(word)[0]!);
  const found = (padding: number, texts: number) =>
    chosenWords(namespace, chosen, { name: 'variant', noise: 0, padding }, texts, random);
  expect(found(0, 1)).toBe(1);
  expect(found(0.5, 1)).toBeLessThan(1);
  expect(found(0.5, 40)).toBe(1);
});

test('padding adds tokens of other texts and removes none', () => {
  const padded = rowsOf(namespace, { name: 'padding', noise: 0, padding: 0.5 });
  for (const [i, { tokens }] of padded.entries()) {
    const own = rows[i]!.tokens;
    expect(tokens.size).toBe(Math.min(words.length, own.size + 4));
    for (const each of own.keys()) expect(tokens.has(each)).toBe(true);
  }
});

test('noise of a quarter defeats the test with one text, but not with ten', () => {
  const noisy = rowsOf(namespace, { name: 'noise', noise: 0.25, padding: 0 });
  expect(guessing(noisy.slice(0, 1), noisy.slice(1), plain)).toBeLessThan(0.5);
  expect(guessing(noisy.slice(0, 10), noisy.slice(10), plain)).toBeGreaterThan(0.5);
});
