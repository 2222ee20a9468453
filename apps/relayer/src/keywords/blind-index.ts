import { blindToken, indexKey } from '@memrelay/envelope/at-rest';
import { LRUCache } from 'lru-cache';
import { lengthBucket } from './bm25.ts';
import { termsOf } from './terms.ts';

/** What the blind index keeps of one text (security.md, "At rest"): which terms, how often in three steps, how long. */
export interface BlindEntry {
  /** One token for each different term, in the order of their values: nothing tells where in the text they stood */
  tokens: readonly bigint[];
  /** Of those the tokens of terms that stand there at least twice */
  twice: readonly bigint[];
  /** Of those the tokens of terms that stand there three times or more */
  often: readonly bigint[];
  /** 0–7 */
  lengthBucket: number;
}

/** Makes tokens that only the holder of the index key can make, others in each account and namespace. */
export interface BlindIndex {
  /** Undefined where the blind index is switched off */
  entryOf(accountId: Buffer, tag: Uint8Array, text: string): BlindEntry | undefined;
  /** The tokens of a question's different terms, at most 64; none where the blind index is switched off */
  queryTokens(accountId: Buffer, tag: Uint8Array, query: string): bigint[];
}

/** A longer text is found by its first so many different terms: a row of 128 KB. */
const maxTokens = 16_384;
const maxQueryTerms = 64;

export function createBlindIndex(indexSecret: Uint8Array, enabled: boolean): BlindIndex {
  if (!enabled) return { entryOf: () => undefined, queryTokens: () => [] };
  const keys = new LRUCache<string, Uint8Array>({ max: 10_000 });
  function keyOf(accountId: Buffer, tag: Uint8Array): Uint8Array {
    const account = accountId.toString('hex');
    const place = `${account}${Buffer.from(tag).toString('hex')}`;
    const known = keys.get(place);
    if (known) return known;
    const made = indexKey(indexSecret, 'blind-index', account, tag);
    keys.set(place, made);
    return made;
  }
  return {
    entryOf(accountId, tag, text) {
      const key = keyOf(accountId, tag);
      const terms = termsOf(text);
      const counts = new Map<string, number>();
      for (const term of terms) {
        const times = counts.get(term);
        if (times !== undefined || counts.size < maxTokens) counts.set(term, (times ?? 0) + 1);
      }
      const tokens = [...counts]
        .map(([term, times]) => ({ token: tokenOf(key, term), times }))
        .sort((a, b) => (a.token < b.token ? -1 : 1));
      const atLeast = (least: number): bigint[] =>
        tokens.filter(({ times }) => times >= least).map(({ token }) => token);
      return {
        tokens: atLeast(1),
        twice: atLeast(2),
        often: atLeast(3),
        lengthBucket: lengthBucket(terms.length),
      };
    },
    queryTokens(accountId, tag, query) {
      const key = keyOf(accountId, tag);
      return [...new Set(termsOf(query))].slice(0, maxQueryTerms).map((term) => tokenOf(key, term));
    },
  };
}

/** As Postgres keeps it: a signed 64-bit number. */
function tokenOf(key: Uint8Array, term: string): bigint {
  return Buffer.from(blindToken(key, term)).readBigInt64BE();
}
