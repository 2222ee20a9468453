import { namedDates } from '@memrelay/text-index/question-dates';
import { describe, expect, test } from 'vitest';
import { contextTokens, filterTokens, passes, unpack } from '../../src/index/context-tokens.ts';
import { type AskedFields, fieldsAsked, withFields } from '../../src/memories/recall/field-signals.ts';
import type { Relevance } from '../../src/memories/recall/fusion.ts';
import { sampleMatch } from '../support/sample-match.ts';

const now = Date.UTC(2026, 0, 1);
const scope = { indexSecret: Buffer.alloc(32, 1), accountId: Buffer.alloc(32, 2), tag: Buffer.alloc(16, 3) };
const tokens = contextTokens(scope);

describe('dates in a question', () => {
  test.each([
    ['on 2023-05-08', ['2023-05-08'], []],
    ['on 8 May 2023', ['2023-05-08'], []],
    ['on May 8th, 2023', ['2023-05-08'], []],
    ['on the 8th of May 2023', ['2023-05-08'], []],
    ['am 8. März 2023', ['2023-03-08'], []],
    ['in May 2023', [], ['2023-05']],
    ['in 2023-05', [], ['2023-05']],
    ['I may march there', [], []],
    ['room 2023 on 45', [], []],
  ])('reads %s', (question, days, months) => {
    const found = namedDates(question, now);
    expect([[...found.days], [...found.months]]).toEqual([days, months]);
  });

  test('means any recent year without one', () => {
    const { months } = namedDates('what happened in June?', now);
    expect(months).toContain('2023-06');
    expect(months).toContain('2026-06');
    expect(namedDates('on 3 June', now).days).toContain('2024-06-03');
  });
});

describe('tokens of context fields', () => {
  const context = {
    session: 's1',
    speaker: ' Ada  LOVELACE',
    happened_at: '2025-05-08T23:30:00+02:00',
    tags: ['b', 'a'],
    expires_at: '2027-01-01T00:00:00Z',
  };

  test('are 20 bytes and equal for equal values, with a label per field', () => {
    const { packed, expiresAt } = tokens.columnsOf(context);
    expect(packed).toHaveLength(20);
    expect(expiresAt).toEqual(new Date('2027-01-01T00:00:00Z'));
    expect(unpack(packed)).toEqual({
      session: tokens.token('session', 's1'),
      speaker: tokens.token('speaker', 'ada lovelace'),
      day: tokens.token('day', '2025-05-08'),
      month: tokens.token('month', '2025-05'),
    });
    expect(tokens.token('day', 's1')).not.toBe(tokens.token('month', 's1'));
  });

  test('differ between accounts and namespaces', () => {
    const all = [
      scope,
      { ...scope, accountId: Buffer.alloc(32, 9) },
      { ...scope, tag: Buffer.alloc(16, 9) },
      { ...scope, indexSecret: Buffer.alloc(32, 9) },
    ].map((each) => contextTokens(each).tag('food'));
    expect(new Set(all).size).toBe(4);
  });

  test('are absent without fields', () => {
    expect(tokens.columnsOf(undefined)).toEqual({ packed: undefined, tags: [], expiresAt: undefined });
    expect(unpack(tokens.columnsOf({ speaker: 'x' }).packed)).toEqual({
      speaker: tokens.token('speaker', 'x'),
    });
  });

  test('decide whether a memory passes a tag filter', () => {
    const tags = new Set(['a', 'b'].map((tag) => tokens.tag(tag).toString()));
    const passing = (filter: object) => passes(filterTokens(tokens, filter), tags);
    expect([passing({ any: ['a', 'c'] }), passing({ all: ['a', 'b'] }), passing({ not: ['c'] })]).toEqual([
      true,
      true,
      true,
    ]);
    expect([passing({ any: ['c'] }), passing({ all: ['a', 'c'] }), passing({ not: ['b'] })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(filterTokens(tokens, { any: [] })).toBeUndefined();
  });
});

describe('signals of context fields', () => {
  const relevance = (id: string, share: number, context: object = {}, explained: object = {}): Relevance => ({
    match: sampleMatch(id, { context: unpack(tokens.columnsOf(context).packed) }),
    share,
    score: share,
    explanation: { vector: { score: 0 }, vector_share: 0.5, ...explained },
  });
  const asked = (question = '', weights: AskedFields['weights'] = {}) =>
    fieldsAsked(tokens, question, weights, now);
  const ranked = (found: Relevance[], fields: AskedFields) =>
    Object.fromEntries(
      withFields(
        found,
        () => fields,
        (share) => share,
      ).map(({ match, share }) => [match.id, Number(share.toFixed(4))]),
    );

  test('a session adds half of the mean of its best five', () => {
    const found = [0.5, 0.4, 0.3, 0.2, 0.1, 0.05].map((share, i) =>
      relevance(`${i}`, share, { session: 's' }),
    );
    const other = relevance('other', 0.25);
    expect(ranked([...found, other], asked())).toEqual({
      0: 0.65,
      1: 0.55,
      2: 0.45,
      3: 0.35,
      other: 0.25,
      4: 0.25,
      5: 0.2,
    });
    expect(ranked([...found, other], asked('', { session: 0 }))).toMatchObject({ 0: 0.5, 5: 0.05 });
  });

  test('a named speaker and a named date multiply', () => {
    const found = [
      relevance('ada', 0.3, { speaker: 'Ada Lovelace' }),
      relevance('may', 0.3, { happened_at: '2025-05-08T00:00:00Z' }),
      relevance('none', 0.3, { speaker: 'Ben' }),
    ];
    expect(ranked(found, asked('What was Ada Lovelace’s plan in May 2025?'))).toEqual({
      may: 0.6,
      ada: 0.39,
      none: 0.3,
    });
    expect(ranked(found, asked('Ada Lovelace on 8 May?', { speaker: 0, date: 0.5 }))).toEqual({
      may: 0.45,
      ada: 0.3,
      none: 0.3,
    });
  });

  test('the explanation adds up', () => {
    const found = [
      relevance('a', 0.6, { session: 's', speaker: 'Ada' }, { context: 0.5 }),
      relevance('b', 0.2, { session: 's' }),
    ];
    const [first] = withFields(
      found,
      () => asked('Ada'),
      (share) => share,
    );
    const { context = 0, session = 0, speaker = 1, date = 1 } = first!.explanation;
    const sum = first!.share / (speaker * date);
    // Its own relevance without neighbours and session was 0.3
    expect(sum * (1 - context - session)).toBeCloseTo(0.3);
    expect(sum * context).toBeCloseTo(0.3);
    expect(sum * session).toBeCloseTo(0.08);
  });

  test('changes and computes nothing where no memory has a field', () => {
    const { context: _, ...match } = relevance('a', 0.2).match;
    const found = [{ ...relevance('a', 0.2), match }];
    const fail = () => expect.unreachable();
    expect(withFields(found, fail, (share) => share)).toEqual(found);
  });
});
