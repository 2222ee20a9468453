import type { Steps } from '@memrelay/text-index/base/steps';
import { piecesOf } from '@memrelay/text-index/words/pieces';
import { termsIn } from '@memrelay/text-index/words/terms';
import { inTurns } from '../../base/concurrency/in-turns.ts';

/**
 * From this share of common trigrams on, two different words count as spellings or parts of one word ("saffrn" and
 * "saffron", "Geburtstag" and "Geburtstagsfeier"). Of 2.2 million word pairs from four conversations, 2 in 10,000 are
 * this similar, and most of those are forms of one word.
 */
const alike = 0.6;
const sharedTrigrams = 3;

/**
 * Whether a text contains a word that is spelt the same or nearly the same as a word of the query. Compares the words
 * themselves, because vectors of hashed word parts can also be similar by chance. A query without significant words
 * matches only the same text.
 */
export function resembles(query: string, text: string): Promise<boolean> {
  return inTurns(resemblanceSteps(query, text));
}

/** One step for each word of the query, then for each of the text. */
export function* resemblanceSteps(query: string, text: string): Steps<boolean> {
  const asked = new Map<string, number>();
  /** The query's words by trigram */
  const having = new Map<string, string[]>();
  for (const forms of termsIn(query)) {
    yield;
    const term = forms?.[0];
    if (term === undefined || asked.has(term)) continue;
    const trigrams = trigramsOf(term);
    asked.set(term, trigrams.size);
    for (const trigram of trigrams) {
      const terms = having.get(trigram);
      if (terms) terms.push(term);
      else having.set(trigram, [term]);
    }
  }
  if (asked.size === 0) return plain(query) === plain(text);
  for (const piece of piecesOf(text)) {
    yield;
    const seen = new Set<string>();
    for (const forms of termsIn(piece)) {
      yield;
      const term = forms?.[0];
      if (term === undefined || seen.has(term)) continue;
      seen.add(term);
      if (asked.has(term) || isLikeOne(trigramsOf(term), asked, having)) return true;
    }
  }
  return false;
}

/** Whether a word with these trigrams is similar to a word of the query. */
function isLikeOne(
  trigrams: ReadonlySet<string>,
  asked: ReadonlyMap<string, number>,
  having: ReadonlyMap<string, readonly string[]>,
): boolean {
  const shared = new Map<string, number>();
  for (const trigram of trigrams)
    for (const term of having.get(trigram) ?? []) shared.set(term, (shared.get(term) ?? 0) + 1);
  for (const [term, count] of shared)
    if (count >= sharedTrigrams && (2 * count) / (asked.get(term)! + trigrams.size) >= alike) return true;
  return false;
}

/** The start of the word counts as a character: words with the same beginning are more likely the same. */
function trigramsOf(term: string): Set<string> {
  const characters = ['^', ...term];
  return new Set(
    Array.from({ length: Math.max(0, characters.length - 2) }, (_, i) => characters.slice(i, i + 3).join('')),
  );
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}
