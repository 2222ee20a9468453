import { type Collection, coverage, termWeight } from './bm25.ts';
import { relatedTerms } from './related.ts';
import { termsOf } from './terms.ts';

/** A term that an answer may contain instead of one of the question's. */
export interface RelatedTerm<T> {
  term: T;
  /** Index of the question's term, from 0 */
  of: number;
}

/** What a question asks for, as terms or as their tokens. */
export interface Question<T> {
  /** Its different terms, at most 64 */
  terms: readonly T[];
  related: readonly RelatedTerm<T>[];
  /** Places of the terms that are names */
  names: ReadonlySet<number>;
  /** It has more than 64 different terms */
  truncated: boolean;
}

/** Where the vector alone decides. */
export const noQuestion: Question<never> = { terms: [], related: [], names: new Set(), truncated: false };

const maxTerms = 64;
const maxRelated = 64;

/** A related word counts for this share of the word that was asked for (bench/README.md). */
const relatedShare = 0.7;
/** A text with a name of the question counts so much more: between 1 and 1.3 frac@10 hardly changes, 2 costs a point. */
const nameBoost = 1.2;

/** A capitalised word that does not begin the question or a sentence of it. */
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

/** What a text has of a question. */
export interface Answered {
  /** Share of the question's weight, names counting more: above 1 where all is there and the text is short */
  covered: number;
  /** Terms of the question in it */
  terms: number;
  /** Terms that it does not have, with a related word in it */
  related: number;
}

/**
 * `documents` and `steps` are of the question's terms, then of the related ones: in how many texts each stands, and how
 * often in this one (0–3).
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
