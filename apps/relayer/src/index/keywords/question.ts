import { type Collection, coverage, termWeight } from './bm25.ts';
import { relatedTerms } from './related.ts';
import { termsOf } from './terms.ts';

/** A term that an answer may contain instead of one of the question's terms. */
export interface RelatedTerm<T> {
  term: T;
  /** Index of the question's term, from 0 */
  of: number;
}

/** The search terms of a question, as text or as tokens. */
export interface Question<T> {
  /** Distinct terms, at most 64 */
  terms: readonly T[];
  related: readonly RelatedTerm<T>[];
  /** Indexes of the terms that are names */
  names: ReadonlySet<number>;
  /** The question has more than 64 distinct terms */
  truncated: boolean;
}

/** For searches by vector alone. */
export const noQuestion: Question<never> = { terms: [], related: [], names: new Set(), truncated: false };

const maxTerms = 64;
const maxRelated = 64;

/** Weight of a related word relative to the question's word (bench/README.md). */
const relatedShare = 0.7;
/** Weight of names: between 1 and 1.3, frac@10 hardly changes; 2 costs one point. */
const nameBoost = 1.2;

/** A capitalised word that is not the first of the question or of a sentence. */
const name = /(?<=[\p{L}\p{N},;'’"“(]\s+["“(]?)\p{Lu}[\p{L}\p{N}\p{M}]+/gu;

/** `withRelated`: for embedders that do not know what words mean. */
export function questionOf(query: string, withRelated: boolean): Question<string> {
  const all = [...new Set(termsOf(query))];
  const terms = all.slice(0, maxTerms);
  const named = new Set([...query.matchAll(name)].flatMap(([word]) => termsOf(word)));
  const asked = new Set(terms);
  const related = withRelated
    ? terms.flatMap((term, of) =>
        relatedTerms(term).flatMap((other) => (asked.has(other) ? [] : [{ term: other, of }])),
      )
    : [];
  return {
    terms,
    related: related.slice(0, maxRelated),
    names: new Set(terms.flatMap((term, i) => (named.has(term) ? [i] : []))),
    truncated: all.length > maxTerms,
  };
}

/** How well a text matches a question. */
export interface Answered {
  /** Covered share of the question's weight, with a higher weight for names; above 1 for a short text with all terms */
  covered: number;
  /** Number of the question's terms that the text contains */
  terms: number;
  /** Number of missing terms for which the text contains a related word */
  related: number;
}

/**
 * `documents` (the number of texts with a term) and `steps` (how often this text contains it, 0–3) list the question's
 * terms, then the related terms.
 */
export function answered(
  collection: Collection,
  { related, names }: Pick<Question<unknown>, 'related' | 'names'>,
  documents: readonly number[],
): (steps: readonly number[], bucket: number) => Answered {
  const count = documents.length - related.length;
  const weights = documents.map((texts) => termWeight(collection, texts));
  const own = weights.slice(0, count);
  const total = own.reduce((sum, weight) => sum + weight, 0);
  return (steps, bucket) => {
    const instead = new Map<number, number>();
    for (const [i, { of }] of related.entries())
      if ((steps[count + i] ?? 0) > 0 && !steps[of])
        instead.set(of, Math.max(instead.get(of) ?? 0, Math.min(own[of]!, weights[count + i]!)));
    const ofRelated = [...instead.values()].reduce((sum, weight) => sum + weight, 0);
    const boost = [...names].some((place) => (steps[place] ?? 0) > 0) ? nameBoost : 1;
    return {
      covered:
        total > 0
          ? boost * (coverage(collection, own, steps, bucket) + (relatedShare * ofRelated) / total)
          : 0,
      terms: steps.slice(0, count).filter((times) => times > 0).length,
      related: instead.size,
    };
  };
}
