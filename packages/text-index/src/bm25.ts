/**
 * BM25 over blind index entries. k1 and b are Anserini's defaults for short texts; because lengths are in buckets and
 * frequencies are capped at 3, other values change little (bench/README.md, `recall-quality`).
 */
export const k1 = 0.9;
export const b = 0.4;

/** Lengths, in terms, are stored as one of eight buckets, each twice as long as the previous one: 4, 8, … 512. */
const shortest = 4;
const buckets = 8;

export function lengthBucket(terms: number): number {
  return Math.min(buckets - 1, Math.max(0, Math.round(Math.log2(Math.max(1, terms) / shortest))));
}

/** The assumed length, in terms, of a text in this bucket. */
export function lengthOf(bucket: number): number {
  return shortest * 2 ** bucket;
}

/** Statistics of a namespace. */
export interface Collection {
  /** Number of texts */
  texts: number;
  /** Mean of `lengthOf`, above 0 */
  meanLength: number;
}

/**
 * Added to the number of texts, as texts that contain none of the terms: a word in five of seven memories is not common
 * yet. Has no measurable effect with hundreds of memories.
 */
export const assumedTexts = 20;

/** The weight of a term that occurs in `documents` texts of the collection; above 0. */
export function termWeight({ texts }: Collection, documents: number): number {
  // The collection's counts may be outdated: use at least the number of texts with the term
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
