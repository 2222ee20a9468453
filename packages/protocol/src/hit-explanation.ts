/** Rank and score of a memory in one of the two searches of a recall. */
export interface LegScore {
  /** From 1; absent when this search did not find it */
  rank?: number;
  score: number;
}

/**
 * Why a memory is a hit. `words`: it contains a word of the question or a related one. `meaning`: its vector is near enough.
 * `spelling`: with the built-in embedder, its vector is near enough and one of its words is spelt almost like one of the question.
 * `context`: it does not match itself, but was stored right before or after a memory that does.
 */
export type MatchReason = 'words' | 'meaning' | 'spelling' | 'context';

/** Why a memory has its rank. */
export interface HitExplanation {
  /** Absent if the request has a `min_score`, which decides instead */
  matched_by?: MatchReason;
  /** Its score is the similarity, 1 − distance */
  vector: LegScore;
  /** Its score is the share of the question's words that the text contains; rare words count more. Absent without a keyword index */
  keywords?: LegScore & {
    /** Number of different words of the question that the text contains */
    terms: number;
    /** Words of the question for which the text has only a related word ("tea" for "drink"); absent when there are none */
    related?: number;
  };
  /** Weight of the vector, from 0 to 1; the rest is the weight of the keywords */
  vector_share: number;
  /** Share of the relevance, from 0 to 1, that comes from memories stored right before and after; absent when none does */
  context?: number;
  /** The same for the best memories of its session */
  session?: number;
  /** Factor by which the relevance was multiplied because the question names its speaker; absent when it does not */
  speaker?: number;
  /** The same for the day or month when it happened */
  date?: number;
}
