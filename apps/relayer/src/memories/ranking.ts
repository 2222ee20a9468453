import type { RecallRequest } from '@memrelay/protocol/memories';
import type { Match } from './search.ts';

export interface RankedMatch {
  match: Match;
  /** Present when the request asked for weights or a least score */
  score: number | undefined;
}

/** Weights can lift a memory from below, so they look at more than is answered. */
export function candidateLimit(request: Pick<RecallRequest, 'limit' | 'scoring_weights'>): number {
  return request.scoring_weights ? Math.min(500, request.limit * 5) : request.limit;
}

/**
 * Orders by distance, or by weighted score where weights are given: similarity (1 − distance), recency with its
 * half-life, importance. Equal scores keep the order of distance.
 */
export function rank(matches: readonly Match[], request: RecallRequest, nowMs: number): RankedMatch[] {
  const weights = request.scoring_weights;
  const wanted = weights !== undefined || request.min_score !== undefined;
  const scored = matches.map((match) => {
    const similarity = 1 - match.distance;
    if (!wanted) return { match, score: undefined };
    if (!weights) return { match, score: similarity };
    const ageDays = Math.max(0, nowMs - match.createdAt.getTime()) / 86_400_000;
    const recency = weights.recency_half_life_days > 0 ? 2 ** (-ageDays / weights.recency_half_life_days) : 0;
    const score =
      weights.semantic * similarity + weights.recency * recency + weights.importance * match.importance;
    return { match, score };
  });
  const least = request.min_score;
  const kept = least === undefined ? scored : scored.filter(({ score }) => score! >= least);
  if (weights) kept.sort((a, b) => b.score! - a.score!);
  return kept.slice(0, request.limit);
}
