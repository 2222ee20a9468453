import type { Unit } from './locomo.ts';

/** Textbook Okapi BM25 over unmodified words, for comparison: without stems, with exact lengths and frequencies. */

const stopWords = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in into is it its me my of on or our she so than that the their them then there these they this those to us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word));
}

export interface Bm25Parameters {
  k1: number;
  b: number;
}

/** Ranks all units with at least one word of the query, best first. */
export function plainBm25(units: readonly Unit[], { k1, b }: Bm25Parameters): (query: string) => string[] {
  const documents = units.map(({ id, text }) => {
    const words = wordsOf(text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { id, counts, length: words.length };
  });
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const frequency = new Map<string, number>();
  for (const { counts } of documents)
    for (const word of counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return (query) => {
    const asked = [...new Set(wordsOf(query))];
    return documents
      .map(({ id, counts, length }) => {
        let score = 0;
        for (const word of asked) {
          const times = counts.get(word) ?? 0;
          const among = frequency.get(word) ?? 0;
          const idf = Math.log(1 + (documents.length - among + 0.5) / (among + 0.5));
          score += (idf * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / meanLength));
        }
        return { id, score };
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ id }) => id);
  };
}
