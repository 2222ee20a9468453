import type { RecallRequest } from '@memrelay/protocol/memories';
import type { Match } from './search.ts';

export interface RankedMatch {
  match: Match;
  /** Present when the request asked for weights or a least score */
  score: number | undefined;
}

/** So many that were replaced may stand above without taking the place of what holds now */
const replacedMargin = 10;

/** Weights can lift a memory from below, and what is replaced sinks: they look at more than is answered. */
export function candidateLimit(request: Pick<RecallRequest, 'limit' | 'scoring_weights'>): number {
  return request.scoring_weights ? Math.min(500, request.limit * 5) : request.limit + replacedMargin;
}

/**
 * Orders by distance, or by weighted score where weights are given: similarity (1 − distance), recency with its
 * half-life, importance. A replaced memory counts half. Equal scores keep the order of distance.
 */
export function rank(matches: readonly Match[], request: RecallRequest, nowMs: number): RankedMatch[] {
  const weights = request.scoring_weights;
  const wanted = weights !== undefined || request.min_score !== undefined;
  const scored = matches.map((match) => {
    const similarity = 1 - match.distance;
    if (!weights) return { match, score: standing(match, similarity) };
    const ageDays = Math.max(0, nowMs - match.createdAt.getTime()) / 86_400_000;
    const recency = weights.recency_half_life_days > 0 ? 2 ** (-ageDays / weights.recency_half_life_days) : 0;
    const score =
      weights.semantic * similarity + weights.recency * recency + weights.importance * match.importance;
    return { match, score: standing(match, score) };
  });
  const least = request.min_score;
  const kept = least === undefined ? scored : scored.filter(({ score }) => score >= least);
  kept.sort((a, b) => b.score - a.score);
  return kept
    .slice(0, request.limit)
    .map(({ match, score }) => ({ match, score: wanted ? score : undefined }));
}

/** What a score counts once it is known whether the memory still holds. */
function standing({ supersededBy }: Match, score: number): number {
  return supersededBy && score > 0 ? score / 2 : score;
}
