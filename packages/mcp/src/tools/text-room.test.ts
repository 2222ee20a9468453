import { expect, test } from 'vitest';
import { fitTexts } from './text-room.ts';

test('texts that fit are left alone', () => {
  expect(fitTexts(['a'.repeat(40), 'b'.repeat(60)], 100)).toEqual([
    { text: 'a'.repeat(40) },
    { text: 'b'.repeat(60) },
  ]);
  expect(fitTexts([])).toEqual([]);
});

test('long texts share the room, short ones before them leave theirs', () => {
  expect(fitTexts(['aa', 'b'.repeat(500), 'c'.repeat(500)], 100)).toEqual([
    { text: 'aa' },
    { text: 'b'.repeat(49), truncated: true },
    { text: 'c'.repeat(49), truncated: true },
  ]);
});

test('a cut leaves no half of a character', () => {
  expect(fitTexts(['ab👩'], 3)).toEqual([{ text: 'ab', truncated: true }]);
});

test('a hundred texts of one megabyte fit into one result', () => {
  const fitted = fitTexts(new Array<string>(100).fill('x'.repeat(1_048_576)));
  expect(fitted.reduce((sum, { text }) => sum + text.length, 0)).toBe(60_000);
});
