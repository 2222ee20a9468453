import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resembles } from '../../src/index/keywords/resembles.ts';

describe('words that are spelled similarly to those of a question', () => {
  test.each([
    ['saffrn rice', 'Bo cooks with saffron'],
    ['who moved to Lisboa?', 'Ana moved, she lives in Lisbon'],
    ['Geburtstag', 'Die Geburtstagsfeier war schön'],
    ['who kept a bee?', 'Ana keeps bees'],
    ['чемодан', 'мой чемоданчик потерян'],
    ['what is it?', ' What is it? '],
    ['🎉', '🎉'],
  ])('%s / %s', async (query, text) => expect(await resembles(query, text)).toBe(true));

  test.each([
    ['zebra crossing quarrel?', 'Ana keeps bees'],
    ['the nation', 'a lift to the moon'],
    ['party', 'a piece of art'],
    ['what is it?', 'What is that?'],
    ['what is it?', 'Ana keeps bees'],
    ['🎉', 'Ana keeps bees 🎈'],
    ['今天天气', 'Ana keeps bees'],
    ['ท่องเที่ยว', 'Ana keeps bees'],
    ['…', '!'],
  ])('not %s / %s', async (query, text) => expect(await resembles(query, text)).toBe(false));

  test('finds its own words in a text, anywhere in a long one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        expect(await resembles(text, text)).toBe(true);
      }),
    );
    const long = `${'filler words of no use '.repeat(5_000)}saffron`;
    expect(await resembles('saffrn', long)).toBe(true);
    expect(await resembles('violin', long)).toBe(false);
  });
});
