import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { type Embedder, normalize } from './embedder.ts';

/** Words that carry little meaning in English questions and statements. */
const stopWords = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in into is it its me my of on or our she so than that the their them then there these they this those to us was we were what when where which who why will with would you your about just also not no yes'.split(
    ' ',
  ),
);

const yieldEvery = 8;

/**
 * A deterministic embedder without a model: words, their stems and character trigrams are hashed to signed positions
 * (the hashing trick), so that texts that share words or word parts are near. Good enough for a local recall.
 */
export function createLexicalEmbedder(dimension: number): Embedder {
  return {
    model: `lexical-v1-${dimension}`,
    dimension,
    mock: true,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        vectors.push(lexicalVector(text, dimension));
        // A long memory has hundreds of chunks of a millisecond each: requests must not wait for all of them
        if (vectors.length % yieldEvery === 0) await yieldToEvents();
      }
      return vectors;
    },
  };
}

export function lexicalVector(text: string, dimension: number): Float32Array {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !stopWords.has(word));
  const counts = new Map<string, number>();
  // A text of stop words alone still is what it is
  for (const word of telling.length > 0 ? telling : words) {
    count(counts, `w:${stem(word)}`);
    if (word.length > 3)
      for (let i = 0; i + 3 <= word.length; i++) count(counts, `g:${word.slice(i, i + 3)}`);
  }
  const vector = new Float32Array(dimension);
  for (const [feature, times] of counts) {
    // A whole word says more than a part of one
    const weight = (feature.startsWith('g:') ? 0.25 : 1) * (1 + Math.log(times));
    const hash = fnv1a(feature);
    vector[hash % dimension]! += hash & 0x80000000 ? weight : -weight;
    // A second position halves the harm of two features that meet in the first
    const other = fnv1a(`2${feature}`);
    vector[other % dimension]! += other & 0x80000000 ? weight : -weight;
  }
  return normalize(vector);
}

function count(counts: Map<string, number>, feature: string): void {
  counts.set(feature, (counts.get(feature) ?? 0) + 1);
}

/** Cuts common English endings; enough to bring `painting`, `painted` and `paints` together. */
function stem(word: string): string {
  if (word.length < 5) return word.length === 4 && word.endsWith('s') ? word.slice(0, -1) : word;
  return word.replace(/(?:ations?|ings?|ies|ied|edly|ed|es|s|ly|e)$/, '');
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // FNV's low bits are weak for short keys: finish with a mix (murmur3's finalizer)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
