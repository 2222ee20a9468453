import { hash } from 'node:crypto';
import { stemsOf } from '@memrelay/text-index/words/terms';
import { LRUCache } from 'lru-cache';
import { createPauses } from '../../base/concurrency/pauses.ts';
import { type Embedder, normalize } from './embedder.ts';
import { vectorSpace } from './vector-space.ts';

/**
 * Measured on 2,080 turns of four conversations: for 11 turns an earlier turn is at least this similar, and all of them
 * say the same in a different order or with one more word. At 0.8 it would be 21, some of which only say thanks for
 * something else. The embedder does not see roles: "Bye Nate!" and "Nate: Bye" are the same words.
 */
const nearDuplicate = 0.85;

/**
 * Measured on 18,588 pairs of a question and a turn without a shared word (four conversations): 96 % are not more
 * similar than this. The texts of the other 4 % are compared (resembles.ts).
 */
const minScore = 0.05;

/** Weight of a trigram compared with a whole term, which is more significant. */
const partWeight = 0.25;

/**
 * A deterministic embedder without a model: terms and their character trigrams are hashed to signed positions (the
 * hashing trick), so that texts with common words or word parts are similar. The hash is keyed by account: an attacker
 * with only the vectors, even without the account's map, cannot determine their words. `deriveKey` derives the
 * account's 32-byte key from the index key.
 */
export function createLexicalEmbedder(dimension: number, deriveKey: (accountId: Buffer) => Buffer): Embedder {
  const keys = new LRUCache<string, string>({ max: 10_000 });
  function keyOf(accountId: Buffer): string {
    const id = accountId.toString('hex');
    const key = keys.get(id) ?? deriveKey(accountId).toString('hex');
    keys.set(id, key);
    return key;
  }
  const name = `lexical-v3-${dimension}`;
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
        // A long memory has hundreds of chunks that take some milliseconds each; let other requests run in between
        await pause();
        vectors.push(lexicalVector(text, dimension, keyOf(accounts[i]!)));
      }
      return vectors;
    },
  };
}

/** `key` has a fixed length, so that concatenating it with a feature is unambiguous. */
export function lexicalVector(text: string, dimension: number, key: string): Float32Array {
  const vector = new Float32Array(dimension);
  for (const [feature, weight] of featuresOf(text)) {
    const digest = hash('sha256', `${key}${feature}`, 'buffer');
    // A second position halves the effect of a collision of two features in the first one
    for (const at of [0, 4]) {
      const word = digest.readUInt32LE(at);
      vector[word % dimension]! += word & 0x80000000 ? weight : -weight;
    }
  }
  return normalize(vector);
}

function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of stemsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  // A text of stop words alone is hashed as a whole
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
