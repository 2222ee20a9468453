import type { HitExplanation } from '@memrelay/protocol/hit-explanation';
import type { Collection } from '@memrelay/text-index/bm25';
import { type Answered, answered, noQuestion, type Question } from '@memrelay/text-index/question';
import type { Match } from '../rows/match.ts';
import { leastCandidates, type SearchResult } from '../rows/search-rows.ts';

/** How well a memory answers, and why. */
export interface Relevance {
  match: Match;
  /** Share of the best possible value: both searches weighted, 0 to 1 and more with context (context.ts) */
  share: number;
  /**
   * Between the similarity of the farthest candidate and the best value of the top one, similarity or covered words. If
   * no word of the question is found anywhere, it is the similarity alone.
   */
  score: number;
  explanation: HitExplanation;
}

/** How the two searches are weighted; depends on what made the vectors. */
export interface LegWeights {
  vectorShare: number;
  /** Subtracted from the vector's share if confident keyword hits are not among the nearest */
  doubt: number;
}

/** A model captures meaning, keywords capture names and numbers: both count the same. */
export const modelWeights: LegWeights = { vectorShare: 0.5, doubt: 0.4 };
/**
 * Both searches see the same words, but only the keyword search knows how rare they are. The vector adds parts of
 * words.
 */
export const lexicalWeights: LegWeights = { vectorShare: 0.1, doubt: 0 };

/** A smaller share of the question's weight is not scaled up to a full score: those words say little. */
const leastCoverage = 0.2;
/** From this share on, the keyword search is confident. */
const sureCoverage = 0.4;
/** Number of best keyword hits that show whether the two searches agree. */
const witnesses = 5;

/** A match with the results of both searches; a rank of 0 means not found. */
interface Candidate {
  match: Match;
  similarity: number;
  nearRank: number;
  covered: number;
  /** Absent without a keyword search */
  words: Answered | undefined;
}

/** The results of both searches, merged. */
export interface Fused {
  /** Best first */
  found: Relevance[];
  /** The relevance of a memory that neither search found, on the same scale */
  relevanceOf(match: Match): Relevance;
  /** The score of a share */
  scoreOf(share: number): number;
}

/**
 * Merges both searches into one order, best first; ties keep the order of their distance. It combines scores, not
 * ranks: ranks lose how far the first was ahead, and let a weak search pull down a strong one (measured,
 * bench/README.md). Each score is scaled by its own range, because the similarities of some models lie within a tenth.
 */
export function fuse(
  { matches, documents }: Pick<SearchResult, 'matches' | 'documents'>,
  collection: Collection,
  legs: LegWeights,
  question: Pick<Question<unknown>, 'forms' | 'related' | 'names'> = noQuestion,
): Fused {
  const answeredBy = answered(collection, question, documents);
  const candidates = candidatesOf(matches, answeredBy);
  const near = candidates.filter(({ nearRank }) => nearRank > 0).map(({ similarity }) => similarity);
  const { 0: top = 0, [near.length - 1]: farthest = 0 } = near;
  const byWords = candidates.filter(({ covered }) => covered > 0).sort((a, b) => b.covered - a.covered);
  const best = byWords[0]?.covered ?? 0;
  const vectorShare = best > 0 ? legs.vectorShare - legs.doubt * disagreement(byWords, collection.texts) : 1;
  const low = best > 0 ? Math.max(0, farthest) : farthest;
  const high = best > 0 ? Math.max(low, top, Math.min(1, best)) : Math.max(low, top);
  const shareOf = ({ similarity, covered }: Candidate): number => {
    const closeness = top > farthest ? Math.max(0, similarity - farthest) / (top - farthest) : 0;
    return vectorShare * closeness + (1 - vectorShare) * (covered / Math.max(best, leastCoverage));
  };
  const scoreOf = (share: number): number => low + (high - low) * share;
  const wordRanks = new Map(byWords.map(({ match }, i) => [match, i + 1]));
  const relevanceOf = (candidate: Candidate): Relevance => {
    const { match, similarity, nearRank, covered, words } = candidate;
    const share = shareOf(candidate);
    return {
      match,
      share,
      score: scoreOf(share),
      explanation: {
        vector: { ...ranked(nearRank), score: similarity },
        ...(words
          ? {
              keywords: {
                ...ranked(wordRanks.get(match)),
                score: Math.min(1, covered),
                terms: words.terms,
                ...(words.related > 0 ? { related: words.related } : {}),
              },
            }
          : {}),
        vector_share: vectorShare,
      },
    };
  };
  return {
    found: candidates.map(relevanceOf).sort((a, b) => b.score - a.score),
    relevanceOf: (match) => relevanceOf(candidatesOf([match], answeredBy)[0]!),
    scoreOf,
  };
}

function candidatesOf(matches: readonly Match[], answeredBy: ReturnType<typeof answered>): Candidate[] {
  let nearer = 0;
  return matches.map((match) => {
    const words = match.words && answeredBy(match.words.steps, match.words.lengthBucket);
    return {
      match,
      similarity: 1 - match.distance,
      nearRank: match.near ? ++nearer : 0,
      covered: words?.covered ?? 0,
      words,
    };
  });
}

/** 0 if the best keyword hits are among the nearest, up to 1 if the keyword search is confident and none of them is. */
function disagreement(byWords: readonly Candidate[], texts: number): number {
  const nearEnough = Math.min(leastCandidates, Math.ceil(texts / 2));
  const candidates = byWords.slice(0, witnesses);
  const sum = (some: readonly Candidate[]): number => some.reduce((total, { covered }) => total + covered, 0);
  const missing = candidates.filter(({ nearRank }) => nearRank === 0 || nearRank > nearEnough);
  return Math.min(1, byWords[0]!.covered / sureCoverage) * (sum(missing) / sum(candidates));
}

function ranked(rank: number | undefined): { rank?: number } {
  return rank ? { rank } : {};
}
