/**
 * BM25 over what the blind index keeps. Values of k1 and b as in Anserini's defaults for short texts; with lengths in
 * buckets and frequencies up to 3 others change little (bench/README.md, `recall-quality`).
 */
export const k1 = 0.9;
export const b = 0.4;

/** Lengths in terms are kept as one of eight buckets, each twice as long as the one before: 4, 8, … 512. */
const shortest = 4;
const buckets = 8;

export function lengthBucket(terms: number): number {
  return Math.min(buckets - 1, Math.max(0, Math.round(Math.log2(Math.max(1, terms) / shortest))));
}

/** Terms that a text of this bucket counts for. */
export function lengthOf(bucket: number): number {
  return shortest * 2 ** bucket;
}

/** What is known of a namespace as a whole. */
export interface Collection {
  /** Texts in it */
  texts: number;
  /** Mean of `lengthOf`, above 0 */
  meanLength: number;
}

/**
 * Texts without any of the terms that every collection is taken to have: a word of five among seven memories is not
 * common yet. Changes nothing that can be measured where there are hundreds.
 */
export const assumedTexts = 20;

/** The weight of a term that occurs in `documents` texts of the collection; above 0. */
export function termWeight({ texts }: Collection, documents: number): number {
  // Counts may be older than the question: there are never fewer texts than those with the term
  const all = Math.max(texts, documents) + assumedTexts;
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}

/**
 * The share of a question's weight that a text covers: 0 with none of its terms, 1 with each of them once in a text of
 * mean length, more when it is shorter or they occur more often. `steps`: how often each term occurs in the text, 0–3.
 */
export function coverage(
  { meanLength }: Collection,
  weights: readonly number[],
  steps: readonly number[],
  bucket: number,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return 0;
  const dampened = k1 * (1 - b + (b * lengthOf(bucket)) / meanLength);
  const covered = weights.reduce((sum, weight, i) => {
    const times = steps[i] ?? 0;
    return sum + (weight * times * (k1 + 1)) / (times + dampened);
  }, 0);
  return covered / total;
}
