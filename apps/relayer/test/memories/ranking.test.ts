import { describe, expect, test } from 'vitest';
import type { Relevance } from '../../src/memories/recall/fusion.ts';
import {
  candidateLimit,
  type RankedMatch,
  rank as rankFound,
  sizeOf,
  withinBytes,
} from '../../src/memories/recall/ranking.ts';
import type { Match } from '../../src/memories/rows/match.ts';
import { sampleMatch } from '../support/sample-match.ts';

const now = Date.UTC(2026, 0, 31);
const day = 86_400_000;

const match = (id: string, distance: number, more: { ageDays?: number; importance?: number } = {}) =>
  sampleMatch(id, {
    distance,
    importance: more.importance ?? 0.5,
    createdAt: new Date(now - (more.ageDays ?? 0) * day),
  });

/** With relevance equal to similarity, as the fusion returns without a known word. */
const relevant = (matches: Match): Relevance => ({
  match: matches,
  share: 1 - matches.distance,
  score: 1 - matches.distance,
  explanation: { vector: { score: 1 - matches.distance }, vector_share: 1 },
});
type Request = Parameters<typeof rankFound>[1];
const rank = (matches: Match[], asked: Request, nowMs: number) =>
  rankFound(matches.map(relevant), asked, nowMs);

const request = { query: 'q', limit: 10, namespace: 'default', include_pending: false, explain: false };
const weights = { semantic: 1, recency: 0, recency_half_life_days: 30, importance: 0 };
const order = (ranked: RankedMatch[]) => ranked.map((each) => each.match.id);

describe('ranking', () => {
  const near = match('near', 0.1, { ageDays: 60 });
  const far = match('far', 0.5, { ageDays: 0, importance: 1 });

  test('keeps the order of distance without weights, and returns no score', () => {
    expect(rank([near, far], request, now)).toMatchObject([
      { match: near, score: undefined },
      { match: far, score: undefined },
    ]);
    expect(candidateLimit(request)).toBeGreaterThan(10);
  });

  test('compares only the similarity with a minimum score, inclusively', () => {
    const ranked = rank([near, far], { ...request, min_score: 0.5 }, now);
    expect(ranked.map(({ score }) => score)).toEqual([0.9, 0.5]);
    expect(order(rank([near, far], { ...request, min_score: 0.500001 }, now))).toEqual(['near']);
  });

  test('halves recency after its half-life, and uses importance as it is', () => {
    const recency = rank([near, far], { ...request, scoring_weights: { ...weights, recency: 1 } }, now);
    expect(order(recency)).toEqual(['far', 'near']);
    expect(recency[1]!.score).toBeCloseTo(0.9 + 0.25, 10);
    const important = rank([near, far], { ...request, scoring_weights: { ...weights, importance: 2 } }, now);
    expect(important[0]).toMatchObject({ match: far, score: 0.5 + 2 });
  });

  test('treats a future memory as new; a half-life of 0 leaves recency out', () => {
    const early = match('early', 0.5, { ageDays: -10 });
    const recency = { ...weights, recency: 1 };
    expect(rank([early], { ...request, scoring_weights: recency }, now)[0]!.score).toBe(1.5);
    const none = { ...recency, recency_half_life_days: 0 };
    expect(rank([early], { ...request, scoring_weights: none }, now)[0]!.score).toBe(0.5);
  });

  test('considers more candidates with weights, within limits, and returns no more than requested', () => {
    expect(candidateLimit({ limit: 10, scoring_weights: weights })).toBe(50);
    expect(candidateLimit({ limit: 100, scoring_weights: weights })).toBe(500);
    const many = Array.from({ length: 20 }, (_, i) => match(`m${i}`, i / 100));
    expect(order(rank(many, { ...request, limit: 3, scoring_weights: weights }, now))).toEqual([
      'm0',
      'm1',
      'm2',
    ]);
  });

  test('halves the score of a replaced memory, which does not push out current ones', () => {
    const replaced = { ...match('replaced', 0.1), supersededBy: 'far' };
    expect(order(rank([replaced, far], { ...request, limit: 1 }, now))).toEqual(['far']);
    const scored = rank([replaced, far], { ...request, scoring_weights: weights }, now);
    expect(scored.map(({ score }) => score)).toEqual([0.5, 0.45]);
    const opposite = { ...match('opposite', 1.5), supersededBy: 'far' };
    expect(rank([opposite], { ...request, min_score: -1 }, now)[0]!.score).toBe(-0.5);
  });

  test('keeps the order of distance for equal scores', () => {
    const same = { ...weights, semantic: 0 };
    expect(order(rank([near, far], { ...request, scoring_weights: same }, now))).toEqual(['near', 'far']);
  });
});

test('returns the best matches whose envelopes fit, and at least one', () => {
  const sized = [400, 500, 200, 100].map((size, i) => ({ match: { ...match(String(i), 0.1), size } }));
  const idsWithin = (bytes: number) => withinBytes(sized, bytes).map(({ match: { id } }) => id);
  expect(idsWithin(1_200)).toEqual(['0', '1', '2', '3']);
  expect(idsWithin(1_099)).toEqual(['0', '1']);
  expect(idsWithin(900)).toEqual(['0', '1']);
  expect(idsWithin(10)).toEqual(['0']);
  expect(withinBytes([], 10)).toEqual([]);
  expect(sizeOf(sized)).toBe(1_200);
});
