import type { RecallOptions } from './wire/types.ts';

/** The body of a recall request; pending memories are included unless that is turned off. */
export function recallBody(query: string, options: RecallOptions): Record<string, unknown> {
  const weights = options.scoringWeights;
  return {
    query,
    limit: options.limit,
    namespace: options.namespace,
    include_pending: options.includePending ?? true,
    scoring_weights: weights && {
      semantic: weights.semantic,
      recency: weights.recency,
      recency_half_life_days: weights.recencyHalfLifeDays,
      importance: weights.importance,
      context: weights.context,
      session: weights.session,
      speaker: weights.speaker,
      date: weights.date,
    },
    min_score: options.minScore,
    context: options.context,
    rerank: options.rerank,
    explain: options.explain,
    tags: options.tags,
  };
}
