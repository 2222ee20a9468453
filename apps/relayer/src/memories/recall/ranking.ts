import type { RecallRequest } from '@memrelay/protocol/memories';
import type { Match } from '../rows/match.ts';
import type { Relevance } from './fusion.ts';

export interface RankedMatch {
  match: Match;
  /** Present if the request asked for weights, a minimum score or explanations */
  score: number | undefined;
  relevance: Relevance;
}

/** Number of superseded memories that may rank higher without displacing a current one */
const replacedMargin = 10;

/** Weights can move a memory up and superseded ones move down, so more candidates than the limit are considered. */
export function candidateLimit(request: Pick<RecallRequest, 'limit' | 'scoring_weights'>): number {
  return request.scoring_weights ? Math.min(500, request.limit * 5) : request.limit + replacedMargin;
}

/**
 * Orders by relevance, or with weights by a weighted score of relevance, recency with its half-life, and importance. A
 * superseded memory counts half. Ties keep their order.
 */
export function rank(
  found: readonly Relevance[],
  request: Pick<RecallRequest, 'limit' | 'scoring_weights' | 'min_score'> & { explain?: boolean },
  nowMs: number,
): RankedMatch[] {
  const { scoring_weights: weights, min_score: least } = request;
  const wanted = weights !== undefined || least !== undefined || request.explain;
  const scored = found.map((relevance) => {
    const { match } = relevance;
    if (!weights) return { match, relevance, score: standing(match, relevance.score) };
    const score =
      weights.semantic * relevance.score +
      weights.recency * recencyOf(match, weights.recency_half_life_days, nowMs) +
      weights.importance * match.importance;
    return { match, relevance, score: standing(match, score) };
  });
  const kept = least === undefined ? scored : scored.filter(({ score }) => score >= least);
  kept.sort((a, b) => b.score - a.score);
  return kept
    .slice(0, request.limit)
    .map(({ match, relevance, score }) => ({ match, relevance, score: wanted ? score : undefined }));
}

/** The first matches whose envelopes are at most this many bytes together; at least one. */
export function withinBytes<T extends { match: Pick<Match, 'size'> }>(
  ranked: readonly T[],
  bytes: number,
): T[] {
  let left = bytes;
  const end = ranked.findIndex(({ match }, i) => {
    left -= match.size;
    return left < 0 && i > 0;
  });
  return ranked.slice(0, end < 0 ? ranked.length : end);
}

export function sizeOf(ranked: readonly { match: Pick<Match, 'size'> }[]): number {
  return ranked.reduce((sum, { match }) => sum + match.size, 0);
}

/** 1 for now, halved after each half-life; 0 without a half-life. */
function recencyOf({ createdAt }: Match, halfLifeDays: number, nowMs: number): number {
  const ageDays = Math.max(0, nowMs - createdAt.getTime()) / 86_400_000;
  return halfLifeDays > 0 ? 2 ** (-ageDays / halfLifeDays) : 0;
}

/** A superseded memory counts half. */
function standing({ supersededBy }: Match, score: number): number {
  return supersededBy && score > 0 ? score / 2 : score;
}
