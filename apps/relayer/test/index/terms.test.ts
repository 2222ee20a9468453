import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlindIndex } from '../../src/index/keywords/blind-index.ts';
import { lengthBucket } from '../../src/index/keywords/bm25.ts';
import { questionOf } from '../../src/index/keywords/question.ts';
import { termsOf } from '../../src/index/keywords/terms.ts';
import { languagesOf } from '../../src/language/languages.ts';

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

  test('distinguishes eight lengths', () => {
    expect([0, 1, 4, 5, 6, 12, 100, 1_000, 1_000_000].map(lengthBucket)).toEqual([0, 0, 0, 0, 1, 2, 5, 7, 7]);
  });

  test('stores nothing when it is off', async () => {
    const off = createBlindIndex(Buffer.alloc(32, 1), false);
    expect([
      await off.entryOf(account, tag, 'tea'),
      off.questionTokens(account, tag, questionOf('tea', false)).terms,
    ]).toEqual([undefined, []]);
  });
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
