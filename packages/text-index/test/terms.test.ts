import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthBucket } from '../src/bm25.ts';
import { languagesOf } from '../src/language/languages.ts';
import { questionOf } from '../src/question.ts';
import { termsOf } from '../src/words/terms.ts';

describe('the terms of a text', () => {
  /** Each of these is found by the other. */
  test.each([
    ['running and paints', 'run painted'],
    ['she went', 'go'],
    ['the children bought a mouse', 'child buys mice'],
    ["Caroline's café", 'caroline cafe'],
    ['ＦＵＬＬ width ﬁle', 'full width files'],
    ['2023-05-07', '7 May 2023'],
    ['it cost 1,234.50', '1234.50'],
    ['v1.2.3', '1.2.3'],
    ['release 1.2.3', '1.2'],
    ['getUserById', 'user'],
    ['getUserById', 'getuserbyid'],
    ['MAX_RETRY_COUNT', 'retry'],
    ['src/memories/recall.ts', 'recall.ts recall'],
    ['HTTPServer2', 'httpserver2 server'],
    ['bob.smith@mail.example.com', 'smith'],
    ['bob.smith@mail.example.com', 'mail.example.com'],
    ['https://docs.example.com/a/b?c=1', 'docs.example.com'],
    ['an e-mail', 'email'],
    ['C++ and C#', 'c++ c#'],
    ['Когда Анна купила дом?', 'анна дом'],
    ['東京で寿司を食べました', '寿司'],
    ['北京大学的学生', '大学'],
    ['สวัสดีชาวโลก', 'โลก'],
    ['서울에서 만났어요', '서울'],
    ['Straße', 'strasse'],
    ['Ålesund', 'alesund'],
    ['am 7.5.2023', '2023-05-07'],
    ['am 7. Mai 2023, wie immer', 'may'],
    ['call +49 170 123 45 67', '01701234567'],
    ['the organisation of the theatre', 'organization theater'],
    ['a thumb 👍🏽 and a heart ❤', '👍 ❤️'],
  ])('of %j are equal to those of %j', (text, asked) => {
    const terms = termsOf(text);
    const common = termsOf(asked).filter(
      (term) => terms.includes(term) || terms.includes(term.split('.')[0]!),
    );
    expect(common.length).toBeGreaterThan(0);
    for (const word of asked.split(' ')) {
      const own = termsOf(word);
      expect(own.some((term) => terms.includes(term))).toBe(true);
    }
  });

  test('leave out stop words, and are empty for a text without words', () => {
    expect(termsOf("I don't think that's what they're about, isn't it?")).toEqual(['think']);
    expect(termsOf('?! … — ©')).toEqual([]);
  });

  test('are stems of the languages that a text is probably in', () => {
    expect(termsOf('Die Bücher sind auf dem Tisch')).toEqual(['buch', 'tisch']);
    expect(termsOf('Мы читали книги, это было давно')).toEqual(['чита', 'книг', 'давн']);
    expect(termsOf('The books are on the table')).toEqual(['book', 'tabl']);
    expect(languagesOf('Los libros están en la mesa').latin).toEqual(['es']);
    expect(languagesOf('O gato dorme em casa').latin[0]).toBe('pt');
    expect(languagesOf('xyz')).toEqual({ latin: ['en'], cyrillic: ['ru'], certain: false });
    expect(languagesOf('Він живе у Києві').cyrillic).toEqual(['uk']);
  });

  test('of a question include its stems in all languages, and only those of English in an English question', () => {
    const formsOf = (question: string) => questionOf(question, false).forms.map(({ term }) => term);
    expect(formsOf('Häuser')).toEqual(expect.arrayContaining(['hauser', 'haeuser']));
    expect(formsOf('which houses are old?')).toEqual(['houses']);
    expect(formsOf('which houses does Jürgen own?')).toContain('juergen');
  });

  test('of a question are at most 64 words or 128 pairs of characters, with at most 128 other forms', () => {
    const words = Array.from(
      { length: 200 },
      (_, i) => `wörter${'abcdefghij'[i % 10]}${'klmnopqrst'[(i / 10) | 0] ?? 'x'}`,
    );
    const { terms, forms, truncated } = questionOf(words.join(' '), false);
    expect([terms.length, truncated]).toEqual([64, true]);
    expect(forms.length).toBeLessThanOrEqual(128);
    const characters = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x5200 + i * 7)).join('');
    const pairs = questionOf(characters, false);
    expect(pairs.terms.length).toBeGreaterThan(100);
    expect(pairs.terms.length).toBeLessThanOrEqual(128);
    expect(pairs.truncated).toBe(true);
  });

  test('exist for every text, and are the same for the same text in any letter case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const terms = termsOf(text);
        expect(termsOf(text)).toEqual(terms);
        for (const term of terms) expect(term.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

test('distinguishes eight lengths', () => {
  expect([0, 1, 4, 5, 6, 12, 100, 1_000, 1_000_000].map(lengthBucket)).toEqual([0, 0, 0, 0, 1, 2, 5, 7, 7]);
});

/** Each takes milliseconds; a scan that looks back over everything takes minutes, or all memory. */
test.each([
  ['numbers and points', '1.'.repeat(120_000)],
  ['marks', `a${'\u0332'.repeat(120_000)}`],
  ['letters', 'a'.repeat(240_000)],
  ['signs that join', 'a.'.repeat(120_000)],
  ['addresses', 'a@b.'.repeat(60_000)],
  ['emoji', '👨‍👩‍👧'.repeat(30_000)],
  ['emoji and joiners', '👍\u200d'.repeat(80_000)],
  ['phone numbers', '+49 1 '.repeat(40_000)],
  ['umlauts', 'äöü'.repeat(80_000)],
  ['syllables', '에서'.repeat(120_000)],
  ['two scripts', 'a的'.repeat(60_000)],
  ['compound words', 'geburtstagsfeiergeburtstagsfeier '.repeat(8_000)],
])('scans a run of nothing but %s only once', (_, run) => {
  const before = process.threadCpuUsage();
  termsOf(`${run}1`);
  // Processor time, in µs: scanned once per character, it would take minutes
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(4_000_000);
});
