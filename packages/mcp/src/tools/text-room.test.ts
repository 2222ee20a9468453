import { expect, test } from 'vitest';
import { fitTexts } from './text-room.ts';

test('leaves texts that fit unchanged', () => {
  expect(fitTexts(['a'.repeat(40), 'b'.repeat(60)], 100)).toEqual([
    { text: 'a'.repeat(40) },
    { text: 'b'.repeat(60) },
  ]);
  expect(fitTexts([])).toEqual([]);
});

test('gives long texts the space that shorter ones before them leave', () => {
  expect(fitTexts(['aa', 'b'.repeat(500), 'c'.repeat(500)], 100)).toEqual([
    { text: 'aa' },
    { text: 'b'.repeat(49), truncated: true },
    { text: 'c'.repeat(49), truncated: true },
  ]);
});

test('never splits a character', () => {
  expect(fitTexts(['ab👩'], 3)).toEqual([{ text: 'ab', truncated: true }]);
});

test('fits a hundred texts of one megabyte into one result', () => {
  const fitted = fitTexts(new Array<string>(100).fill('x'.repeat(1_048_576)));
  expect(fitted.reduce((sum, { text }) => sum + text.length, 0)).toBe(60_000);
});
