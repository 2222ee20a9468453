import { describe, expect, it } from 'vitest';
import { analyzeRequest, askRequest } from '../src/llm.ts';

describe('analyze', () => {
  const parse = (fields: object) => analyzeRequest.safeParse({ text: 'x', ...fields }).success;

  it('takes a text of 1 to 65,536 bytes', () => {
    expect(parse({ text: 'x'.repeat(65_536) })).toBe(true);
    for (const text of ['', ' \n', 'x'.repeat(65_537), 'é'.repeat(32_769), undefined, 1])
      expect(parse({ text })).toBe(false);
  });

  it('accepts only RFC 3339 times, and keeps their offset', () => {
    for (const time of ['2023-05-08T13:56:00Z', '2024-02-29T23:59:59.123456789+14:00'])
      expect(analyzeRequest.parse({ text: 'x', occurred_at: time }).occurred_at).toBe(time);
    expect(analyzeRequest.parse({ text: 'x', occurred_at: '2023-05-08t13:56:00z' }).occurred_at).toBe(
      '2023-05-08T13:56:00Z',
    );
    for (const time of [
      '2023-05-08',
      '2023-05-08T13:56Z',
      '2023-05-08T13:56:00',
      '2023-02-30T00:00:00Z',
      '2023-05-08T24:00:00Z',
      '2023-05-08T13:56:00.1234567890Z',
      'yesterday',
      1_683_554_160,
    ])
      expect(parse({ occurred_at: time }), String(time)).toBe(false);
  });
});

describe('ask', () => {
  const parse = (fields: object) => askRequest.safeParse({ question: 'x', ...fields }).success;

  it('takes a question of 1 to 65,536 bytes', () => {
    expect(parse({ question: 'x'.repeat(65_536) })).toBe(true);
    for (const question of ['', ' ', 'x'.repeat(65_537), undefined]) expect(parse({ question })).toBe(false);
  });

  it('accepts a limit of 1 to 100, clamps larger ones, and defaults to 5 for 0 or none', () => {
    const limitOf = (limit?: unknown) => askRequest.parse({ question: 'x', limit }).limit;
    expect([undefined, 0, 1, 100, 101, 1e20].map(limitOf)).toEqual([5, 5, 1, 100, 100, 100]);
    for (const limit of [-1, 1.5, '5', null, Number.POSITIVE_INFINITY]) expect(parse({ limit })).toBe(false);
  });

  it('accepts the options of recall in addition to the question', () => {
    const fields = { include_pending: true, context: 2, min_score: 0.5, scoring_weights: { recency: 2 } };
    expect(askRequest.parse({ question: 'x', ...fields })).toMatchObject(fields);
    expect(parse({ scoring_weights: { recency: 101 } })).toBe(false);
  });
});
