import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { fromBase64, toBase64, toHex } from '@memrelay/protocol/bytes';
import { describe, expect, test } from 'vitest';
import { indexDataOf, questionTokens } from '../../src/private/private-index.ts';
import { searchKeys } from '../../src/private/search-keys.ts';

const keys = searchKeys(p, new Uint8Array(32).fill(1), {
  tag: new Uint8Array(16).fill(2),
  keyEpoch: 3n,
  searchId: new Uint8Array(16).fill(4),
});
const nowMs = Date.parse('2026-05-01T00:00:00Z');
const word = (term: string): string => toHex(keys.wordToken(term));

function split(tokens: string): string[] {
  return toHex(fromBase64(tokens)).match(/.{32}/g) ?? [];
}

describe('the index data of a text', () => {
  test('are one token per term, sorted, with their frequency in three steps', () => {
    const data = indexDataOf(keys, 'violin tea tea garden garden garden garden');
    expect(split(data.tokens)).toEqual(['violin', 'tea', 'garden'].map(word).sort());
    expect(split(data.twice!)).toEqual(['tea', 'garden'].map(word).sort());
    expect(split(data.often!)).toEqual([word('garden')]);
    expect(data).toEqual(indexDataOf(keys, 'garden tea garden violin garden tea garden'));
    expect(indexDataOf(keys, 'tea')).not.toHaveProperty('twice');
  });

  test('differ in their distinctions for texts with the same words and other numbers', () => {
    const of = (text: string) => indexDataOf(keys, text).distinctions;
    expect(of('two cats')).toBe(of('2 cats'));
    expect(of('two cats')).not.toBe(of('no two cats'));
  });

  test('have at most 16,384 tokens', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i}x`).join(' ');
    expect(fromBase64(indexDataOf(keys, words).tokens).length).toBe(16_384 * 16);
  });

  test('have a token for each context field, and equal ones for equal values', () => {
    const data = indexDataOf(keys, 'tea', {
      session: 's1',
      speaker: ' Ana  Maria ',
      happenedAt: '2023-05-07T23:30:00-05:00',
      tags: ['b', 'a', 'a'],
      expiresAt: '2030-01-01T00:00:00Z',
    });
    const token = (label: 'session' | 'speaker' | 'day' | 'month' | 'tag', value: string) =>
      toBase64(keys.contextToken(label, value));
    expect(data.context).toEqual({
      session: token('session', 's1'),
      speaker: token('speaker', 'ana maria'),
      day: token('day', '2023-05-07'),
      month: token('month', '2023-05'),
    });
    expect(data.tags).toEqual([token('tag', 'a'), token('tag', 'b')].sort());
    expect(data.expires_at).toBe('2030-01-01T00:00:00Z');
    expect(indexDataOf(keys, 'tea')).not.toHaveProperty('context');
  });
});

describe('the tokens of a question', () => {
  test('are found among those of a text that answers it', () => {
    const stored = new Set(split(indexDataOf(keys, 'Die Bücher sind auf dem Tisch').tokens));
    const asked = questionTokens(keys, 'Buch', { withRelated: false, nowMs });
    const all = [...asked.terms, ...asked.forms.map(([token]) => token)];
    expect(all.some((token) => stored.has(toHex(fromBase64(token))))).toBe(true);
  });

  test('name speakers and dates, and filter by tags', () => {
    const asked = questionTokens(keys, 'What did Ana say on 7 May 2023?', {
      withRelated: false,
      nowMs,
      tags: { any: ['work'], not: ['old'] },
    });
    const token = (label: 'speaker' | 'day' | 'tag', value: string) =>
      toBase64(keys.contextToken(label, value));
    expect(asked.context!.speakers).toContain(token('speaker', 'ana'));
    expect(asked.context!.days).toEqual([token('day', '2023-05-07')]);
    expect(asked.tags).toEqual({ any: [token('tag', 'work')], not: [token('tag', 'old')] });
    expect(asked.names.map((i) => asked.terms[i])).toEqual(
      ['ana', 'may'].map((name) => toBase64(keys.wordToken(name))),
    );
  });

  test('include everyday words that may answer only without a model that knows them', () => {
    const related = (withRelated: boolean) => questionTokens(keys, 'drink', { withRelated, nowMs }).related;
    expect(related(true)).toContainEqual([toBase64(keys.wordToken('tea')), 0]);
    expect(related(false)).toEqual([]);
  });
});
