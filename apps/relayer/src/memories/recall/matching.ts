import type { MatchReason } from '@memrelay/protocol/hit-explanation';
import type { RecallRequest } from '@memrelay/protocol/memories';
import type { Embedder } from '../../index/embedding/embedder.ts';
import { resembles } from '../../index/keywords/resembles.ts';
import type { Relevance } from './fusion.ts';
import { type RankedMatch, rank } from './ranking.ts';

/** `asked`: the request's own `min_score` decides, and it is compared with the final score (ranking.ts). */
export type Reason = MatchReason | 'asked';

/** What decides whether a memory is near enough to a question. */
type MatchRules = Pick<Embedder, 'minScore' | 'mock' | 'centers'>;

/** Returns why a memory is a hit of this request; undefined if it is not. */
export function reasonsFor(
  { min_score: least }: Pick<RecallRequest, 'min_score'>,
  embedder: MatchRules,
): (relevance: Relevance) => Reason | undefined {
  return (relevance) => (least === undefined ? matchReason(relevance, embedder) : 'asked');
}

/**
 * Why a memory is a hit: it contains a word of the question or a related one, or its similarity is above `minScore` (and
 * it is related to the question, for a model with centers), or it was stored right before or after such a memory. Undefined if it is not a hit.
 */
export function matchReason(
  { match, explanation }: Pick<Relevance, 'match' | 'explanation'>,
  { minScore, mock, centers }: MatchRules,
): MatchReason | undefined {
  const { keywords } = explanation;
  if (keywords && keywords.terms + (keywords.related ?? 0) > 0) return 'words';
  const isNear = centers
    ? match.relatedness !== undefined && match.relatedness > centers.least
    : !match.stale && 1 - match.distance > minScore;
  if (isNear && !mock) return 'meaning';
  if (explanation.context !== undefined) return 'context';
  return isNear ? 'spelling' : undefined;
}

/** Whether a memory matches by a word or by meaning, so that what was stored next to it may belong to the answer. */
export function isSure(relevance: Relevance, embedder: MatchRules): boolean {
  const reason = matchReason(relevance, embedder);
  return reason === 'words' || reason === 'meaning';
}

/**
 * The hits of a request, best first. Hits by spelling come last: they may turn out to be false, and must not take the
 * place of a memory that contains a word of the question.
 */
export function rankMatching(
  found: readonly Relevance[],
  reasonOf: ReturnType<typeof reasonsFor>,
  request: Parameters<typeof rank>[1],
  nowMs: number,
): RankedMatch[] {
  const sure = found.filter((each) => !['spelling', undefined].includes(reasonOf(each)));
  const ranked = rank(sure, request, nowMs);
  const spelled = found.filter((each) => reasonOf(each) === 'spelling');
  return [...ranked, ...rank(spelled, { ...request, limit: request.limit - ranked.length }, nowMs)];
}

/** Final check of a hit by spelling: only its text shows whether it was near by chance. */
export async function isConfirmed(reason: Reason | undefined, query: string, text: string): Promise<boolean> {
  return reason !== 'spelling' || resembles(query, text);
}
