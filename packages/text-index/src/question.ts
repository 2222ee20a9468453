import { type Collection, coverage, termWeight } from './bm25.ts';
import { relatedTerms } from './related.ts';
import { type AskedWord, askedWords } from './words/terms.ts';

/** A term that a text may contain instead of one of the question's terms. */
export interface RelatedTerm<T> {
  term: T;
  /** Index of the question's term, from 0 */
  of: number;
}

/** The search terms of a question, as text or as tokens. */
export interface Question<T> {
  /** Distinct terms: at most 64 words, or 128 pairs of characters */
  terms: readonly T[];
  /** Other forms of the same words: they count like the term itself. At most 128 */
  forms: readonly RelatedTerm<T>[];
  /** Words that may answer instead, and parts of compound words: they count less. At most 64 */
  related: readonly RelatedTerm<T>[];
  /** The words as written, in lower case */
  spelled: readonly string[];
  /** Indexes of the terms that are names */
  names: ReadonlySet<number>;
  /** The question has more terms */
  truncated: boolean;
}

/** For searches by vector alone. */
export const noQuestion: Question<never> = {
  terms: [],
  forms: [],
  related: [],
  spelled: [],
  names: new Set(),
  truncated: false,
};

/** Words; a pair of characters counts half, because a word has several */
const maxWords = 64;
const isPart = (term: string): boolean =>
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{1,2}$/u.test(term);
const maxForms = 128;
const leastForms = 2;
const maxRelated = 64;

/** Weight of a related word relative to the question's word (bench/README.md). */
const relatedShare = 0.7;
/** Weight of names: between 1 and 1.3, frac@10 hardly changes; 2 costs one point. */
const nameBoost = 1.2;

/** A capitalised word that is not the first of the question or of a sentence. */
const name = /(?<=[\p{L}\p{N},;'’"“(]\s+["“(]?)\p{Lu}[\p{L}\p{N}\p{M}]+/gu;

/** `withRelated`: for embedders that do not know what words mean. */
export function questionOf(query: string, withRelated: boolean): Question<string> {
  const named = new Set([...query.matchAll(name)].map(([word]) => word.toLowerCase()));
  const words = new Map<string, AskedWord>();
  const names = new Set<number>();
  let length = 0;
  let truncated = false;
  for (const word of askedWords(query, (word) => named.has(word))) {
    if (words.has(word.term)) continue;
    length += isPart(word.term) ? 0.5 : 1;
    truncated = length > maxWords;
    if (truncated) break;
    if (named.has(word.word)) names.add(words.size);
    words.set(word.term, word);
  }
  const terms = [...words.keys()];
  const asked = new Set(terms);
  const instead = (of: number, others: readonly string[]): RelatedTerm<string>[] =>
    others.filter((other) => !asked.has(other)).map((term) => ({ term, of }));
  const formsEach = Math.max(leastForms, Math.floor(maxForms / Math.max(1, terms.length)));
  const each = [...words.values()];
  return {
    terms,
    forms: each.flatMap(({ forms }, of) => instead(of, forms).slice(0, formsEach)).slice(0, maxForms),
    related: each
      .flatMap(({ term, parts }, of) => instead(of, withRelated ? [...parts, ...relatedTerms(term)] : parts))
      .slice(0, maxRelated),
    spelled: each.map(({ word }) => word),
    names,
    truncated,
  };
}

/** All terms of a question, in the order in which a search counts them: its own, their forms, the related ones. */
export function searchedTerms<T>({
  terms,
  forms,
  related,
}: Pick<Question<T>, 'terms' | 'forms' | 'related'>): T[] {
  return [...terms, ...forms.map(({ term }) => term), ...related.map(({ term }) => term)];
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
 * `documents` (the number of texts with a term) and `steps` (how often this text contains it, 0–3) are in the order of
 * `searchedTerms`. A word counts by its most frequent form in a text, and is as common as all its forms together.
 */
export function answered(
  collection: Collection,
  { forms, related, names }: Pick<Question<unknown>, 'forms' | 'related' | 'names'>,
  documents: readonly number[],
): (steps: readonly number[], bucket: number) => Answered {
  const relatedFrom = documents.length - related.length;
  // A search that finds nothing counts no terms
  const count = Math.max(0, relatedFrom - forms.length);
  const together = documents.slice(0, count);
  for (const [i, { of }] of forms.entries()) together[of]! += documents[count + i]!;
  const weight = (texts: number): number => termWeight(collection, texts);
  const own = together.map(weight);
  const ofRelated = documents.slice(relatedFrom).map(weight);
  const total = own.reduce((sum, each) => sum + each, 0);
  // For one text at a time: a search calls this for hundreds
  const steps = new Array<number>(count);
  const instead = new Array<number>(count);
  return (counted, bucket) => {
    for (let i = 0; i < count; i++) steps[i] = counted[i] ?? 0;
    forms.forEach(({ of }, i) => {
      steps[of] = Math.max(steps[of]!, counted[count + i] ?? 0);
    });
    instead.fill(0);
    related.forEach(({ of }, i) => {
      if ((counted[relatedFrom + i] ?? 0) > 0 && steps[of] === 0)
        instead[of] = Math.max(instead[of]!, Math.min(own[of]!, ofRelated[i]!));
    });
    let [terms, replaced, otherwise, boost] = [0, 0, 0, 1];
    for (let i = 0; i < count; i++) {
      if (steps[i]! > 0) {
        terms += 1;
        if (names.has(i)) boost = nameBoost;
      } else if (instead[i]! > 0) {
        replaced += 1;
        otherwise += instead[i]!;
      }
    }
    return {
      covered:
        total > 0
          ? boost * (coverage(collection, own, steps, bucket) + (relatedShare * otherwise) / total)
          : 0,
      terms,
      related: replaced,
    };
  };
}
