import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPauses } from '../../base/concurrency/pauses.ts';
import { termsOf } from '../keywords/terms.ts';
import { type Embedder, normalize } from './embedder.ts';
import { vectorSpace } from './vector-space.ts';

/**
 * Measured on 2,080 turns of four conversations: 11 have an earlier one this near, which all say the same in other order or
 * with a word more; from 0.8 on it would be 21, some of which only thank for something else. It does not see who is who:
 * "Bye Nate!" and "Nate: Bye" are the same words.
 */
const nearDuplicate = 0.85;

/**
 * Of 18,588 pairs of a question and a turn without a shared word (four conversations) 96 of 100 are not nearer. The others
 * are told apart by their texts (resembles.ts).
 */
const minScore = 0.05;

/** A whole term says more than a part of one. */
const partWeight = 0.25;

/**
 * A deterministic embedder without a model: terms and their character trigrams are hashed to signed positions (the
 * hashing trick), so that texts that share words or word parts are near. The hash is keyed by account: who has only
 * the vectors, even without the account's map, cannot tell which words they are of. `deriveKey` gives the account's
 * own 32-byte key from the index key.
 */
export function createLexicalEmbedder(dimension: number, deriveKey: (accountId: Buffer) => Buffer): Embedder {
  const keys = new LRUCache<string, string>({ max: 10_000 });
  function keyOf(accountId: Buffer): string {
    const id = accountId.toString('hex');
    const key = keys.get(id) ?? deriveKey(accountId).toString('hex');
    keys.set(id, key);
    return key;
  }
  const name = `lexical-v2-${dimension}`;
  return {
    name,
    model: vectorSpace(name, dimension),
    dimension,
    nearDuplicate,
    minScore,
    mock: true,
    async embed(texts, accounts) {
      const vectors: Float32Array[] = [];
      const pause = createPauses();
      for (const [i, text] of texts.entries()) {
        // A long memory has hundreds of chunks of some milliseconds each: requests must not wait for all of them
        await pause();
        vectors.push(lexicalVector(text, dimension, keyOf(accounts[i]!)));
      }
      return vectors;
    },
  };
}

/** `key` is text of a fixed length, so that a keyed hash of it and a feature is one of no other pair. */
export function lexicalVector(text: string, dimension: number, key: string): Float32Array {
  const vector = new Float32Array(dimension);
  for (const [feature, weight] of featuresOf(text)) {
    const digest = hash('sha256', `${key}${feature}`, 'buffer');
    // A second position halves the harm of two features that meet in the first
    for (const at of [0, 4]) {
      const word = digest.readUInt32LE(at);
      vector[word % dimension]! += word & 0x80000000 ? weight : -weight;
    }
  }
  return normalize(vector);
}

function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  // A text of stop words alone still is what it is
  if (counts.size === 0) counts.set(text.normalize('NFKC').toLowerCase(), 1);
  const features = new Map<string, number>();
  for (const [term, times] of counts) {
    const weight = 1 + Math.log(times);
    features.set(`w:${term}`, weight);
    if (term.length <= 3) continue;
    for (let i = 0; i + 3 <= term.length; i++) {
      const part = `g:${term.slice(i, i + 3)}`;
      features.set(part, (features.get(part) ?? 0) + partWeight * weight);
    }
  }
  return features;
}
