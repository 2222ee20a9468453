import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anchorDates } from '../../src/language/facts/anchor-dates.ts';
import { oneLine } from '../../src/language/facts/fact.ts';
import { localFacts } from '../../src/language/facts/local-facts.ts';
import { halves, passageBytes, passages, topics } from '../../src/language/facts/passages.ts';
import { wordsKey } from '../../src/language/facts/same-words.ts';
import { longestSentence, sentences } from '../../src/language/facts/sentences.ts';
import { compareFacts, distinctFacts } from '../../src/memories/remember/compare-facts.ts';

const letters = (text: string) => text.replace(/\s+/gu, '');
/** Lines in many scripts, with and without ends of sentences */
const anyText = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 60 })
  .map((parts) => parts.join('. '))
  .filter((text) => !/\p{Lu}[^\n]*:/u.test(text) && text.trim() !== '');

describe('sentences', () => {
  test('end at sentence ends, not at titles, initials, numbers or inside a quotation', () => {
    expect(
      sentences(
        'Dr. Smith met J. R. Tolkien at 5 p.m. in Washington, D.C. on Jan. 5. He paid $3.50, i.e. not much, for version 1.2.3 of it! ' +
          '今天我去了北京，见到了老朋友。 明天回来，好吗？我很高兴。\nДва часа назад я купил дом. Он мне очень нравится.',
      ),
    ).toEqual([
      'Dr. Smith met J. R. Tolkien at 5 p.m. in Washington, D.C. on Jan. 5.',
      'He paid $3.50, i.e. not much, for version 1.2.3 of it!',
      '今天我去了北京，见到了老朋友。',
      '明天回来，好吗？',
      '我很高兴。',
      'Два часа назад я купил дом.',
      'Он мне очень нравится.',
    ]);
  });

  test('name the speaker in a conversation', () => {
    expect(
      sentences('Ana: Hi! I moved to Lisbon in May.\n\n[8:15 pm] Bo Li: Wow! Thanks for telling me.'),
    ).toEqual([
      'Ana: Hi!',
      'Ana: I moved to Lisbon in May.',
      '[8:15 pm] Bo Li: Wow!',
      '[8:15 pm] Bo Li: Thanks for telling me.',
    ]);
  });

  test('together contain the whole text, and none exceeds the limit', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parts = sentences(text);
        expect(letters(parts.join(' '))).toBe(letters(text));
        for (const sentence of parts) expect(sentence.length).toBeLessThanOrEqual(longestSentence);
      }),
      { numRuns: 200 },
    );
    const endless = '🐈x'.repeat(3_000);
    const cut = sentences(endless);
    expect(cut.join('')).toBe(endless);
    expect(cut.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test('are found in one pass in a line of initials only', () => {
    const started = performance.now();
    sentences('A. '.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('passages of a long text', () => {
  const long = Array.from(
    { length: 900 },
    (_, i) => `Statement number ${i} is about the thing ${i * 7}.`,
  ).join(' ');

  test('contain every sentence once, and see the end of the preceding passage', () => {
    const parts = passages(long);
    expect(parts.length).toBeGreaterThan(5);
    expect(
      parts
        .map(({ text }) => text)
        .join('\n')
        .split('\n'),
    ).toEqual(sentences(long));
    for (const [i, { text, before }] of parts.entries()) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(passageBytes);
      if (i === 0) expect(before).toBe('');
      else expect(parts[i - 1]!.text.endsWith(before)).toBe(true);
      expect(before.length).toBeLessThanOrEqual(1_200);
    }
    expect(passages('Short.')).toEqual([{ text: 'Short.', before: '' }]);
  });

  test('are halved without a loss, as long as there are two sentences', () => {
    const [whole] = passages(long);
    const [first, second] = halves(whole!)!;
    expect(`${first.text}\n${second.text}`).toBe(whole!.text);
    expect(first.text.endsWith(second.before)).toBe(true);
    expect(halves({ text: 'Only one.', before: '' })).toBeUndefined();
  });

  test('are covered completely by topics', () => {
    expect(letters(topics(long).join(''))).toBe(letters(long));
    for (const topic of topics(long)) expect(Buffer.byteLength(topic)).toBeLessThanOrEqual(600);
  });
});

describe('dates', () => {
  const monday = '2023-05-08T13:56:00+02:00';
  test.each([
    ['I went yesterday and it was good.', 'I went yesterday (2023-05-07) and it was good.'],
    ['Last night we talked.', 'Last night (2023-05-07) we talked.'],
    ['See you tomorrow morning!', 'See you tomorrow morning (2023-05-09)!'],
    ['the day before yesterday', 'the day before yesterday (2023-05-06)'],
    ['It broke three days ago.', 'It broke three days ago (2023-05-05).'],
    ['I left 10 years ago.', 'I left 10 years ago (about 2013).'],
    ['two months ago', 'two months ago (about March 2023)'],
    ['last Friday, last Monday', 'last Friday (2023-05-05), last Monday (2023-05-01)'],
    ['last week', 'last week (in the week before 2023-05-08)'],
    ['next month', 'next month (June 2023)'],
    ['I painted it last year (2022).', 'I painted it last year (2022).'],
    ["today's world, Todayville, holidays ago", "today's world, Todayville, holidays ago"],
    ['yesterday (2023-05-07)', 'yesterday (2023-05-07)'],
  ])('%s', (text, anchored) => expect(anchorDates(text, monday)).toBe(anchored));

  test("are resolved in the speaker's time zone, and not without a date", () => {
    expect(anchorDates('today', '2024-01-01T00:30:00+09:00')).toBe('today (2024-01-01)');
    expect(anchorDates('last month, yesterday', '2024-01-01T00:30:00+09:00')).toBe(
      'last month (December 2023), yesterday (2023-12-31)',
    );
    expect(anchorDates('yesterday', undefined)).toBe('yesterday');
  });
});

describe('word keys', () => {
  test('ignore case, punctuation and stop words', () => {
    const key = wordsKey('The cat, that Ana’s brother had, is 3 years old!');
    expect(wordsKey("cat Ana's brother had is 3 years old")).toBe(key);
    expect(wordsKey('ＣＡＴ ana’s BROTHER had is really 3 years old')).toBe(key);
  });

  test.each([
    ['Ana lives in Porto', 'Ana does not live in Porto'],
    ['Ana beat Bo', 'Bo beat Ana'],
    ['It costs 3.50', 'It costs 35.0'],
    ['born on 3 May', 'born on 4 May'],
    ['Ana was a nurse', 'Ana is a nurse'],
    ["I can't swim", 'I can swim'],
    ['uses C', 'uses C++'],
    ['-5 degrees', '5 degrees'],
    ['今天', '明天'],
  ])('differ for %s / %s', (one, other) => expect(wordsKey(one)).not.toBe(wordsKey(other)));

  test('differ for texts of only stop words or punctuation', () => {
    expect(wordsKey('the')).not.toBe(wordsKey('so'));
    expect(wordsKey('👍')).not.toBe(wordsKey('👎'));
  });
});

describe('facts without a model', () => {
  test('are the sentences, with resolved dates', () => {
    expect(localFacts('Ana: I went to Porto yesterday. Thanks!\n---\n', '2023-05-08T01:00:00Z')).toEqual([
      { text: 'Ana: I went to Porto yesterday (2023-05-07). Thanks!', importance: 0.5 },
    ]);
  });

  test('are at most 500, and contain all sentences of a very long text', () => {
    const text = Array.from({ length: 2_100 }, (_, i) => `Here is the statement no ${i}.`).join(' ');
    const parts = localFacts(text, undefined);
    expect(parts.length).toBeLessThanOrEqual(500);
    expect(parts.map((fact) => fact.text).join(' ')).toBe(text);
  });

  test('contain no terminal control or text direction characters', () => {
    expect(oneLine('a\u0000b\u001b[31m\r\n c\u202ed\ud800')).toBe('ab[31m cd\ufffd');
  });
});

describe('facts compared with stored ones', () => {
  const memory = (id: string, text: string) => ({ id, text, blobId: id, envelopeId: Buffer.from(id) });
  const porto = memory('a', 'Ana lives in Porto.');
  const of = (text: string, relation?: { is: 'restates' | 'replaces'; memoryId: string }) => ({
    text,
    importance: 0.5,
    ...(relation ? { relation } : {}),
  });

  test('are unchanged if they have the same words, whatever the model says', () => {
    const facts = [of('ana lives in porto'), of('Ana lives in Porto!', { is: 'replaces', memoryId: 'a' })];
    const { kept, unchanged } = compareFacts(facts, [[porto], [porto]]);
    expect(kept).toEqual([]);
    expect(unchanged.map(({ memory: { id } }) => id)).toEqual(['a', 'a']);
  });

  test('restate or replace nearby memories as the model says; other claims are ignored', () => {
    const relations = [
      of('Porto is where Ana lives.', { is: 'restates', memoryId: 'a' }),
      of('Ana lives in Faro.', { is: 'replaces', memoryId: 'a' }),
      of('Bo has a dog.', { is: 'restates', memoryId: 'a' }),
      of('Bo has a cat.', { is: 'replaces', memoryId: 'z' }),
    ];
    const { kept, unchanged } = compareFacts(relations, [[porto], [porto], [], [porto]]);
    expect(unchanged).toEqual([{ text: 'Porto is where Ana lives.', memory: porto }]);
    expect(kept.map(({ text, replaces }) => [text, replaces.map(({ id }) => id)])).toEqual([
      ['Ana lives in Faro.', ['a']],
      ['Bo has a dog.', []],
      ['Bo has a cat.', []],
    ]);
  });

  test('with the same words are merged, with the highest importance', () => {
    const parts = [of('Ana is ill.'), { ...of('ana is ILL'), importance: 0.9 }, of('Ana is not ill.')];
    expect(distinctFacts(parts)).toEqual([{ text: 'Ana is ill.', importance: 0.9 }, of('Ana is not ill.')]);
  });
});
