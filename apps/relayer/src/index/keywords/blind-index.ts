import { blindToken, indexKey } from '@memrelay/envelope/at-rest';
import type { Steps } from '@memrelay/text-index/base/steps';
import { noQuestion, type Question, type RelatedTerm } from '@memrelay/text-index/question';
import { textTermSteps } from '@memrelay/text-index/text-terms';
import { LRUCache } from 'lru-cache';
import { inTurns } from '../../base/concurrency/in-turns.ts';

/** A text's blind index entry (security.md, "At rest"): its terms, their frequency in three steps, and its length. */
export interface BlindEntry {
  /** One token per distinct term, sorted by value, so that their order in the text is not revealed */
  tokens: readonly bigint[];
  /** The tokens of terms that occur at least twice */
  twice: readonly bigint[];
  /** The tokens of terms that occur at least three times */
  often: readonly bigint[];
  /** 0–7 */
  lengthBucket: number;
  /** Token of the text's numbers and negations (`@memrelay/text-index/distinctions`) */
  distinctions: bigint;
}

/** Creates tokens that only the holder of the index key can compute, different in each account and namespace. */
export interface BlindIndex {
  /** Undefined if the blind index is off. Lets other work run while it processes a long text. */
  entryOf(accountId: Buffer, tag: Uint8Array, text: string): Promise<BlindEntry | undefined>;
  /** The tokens of a question; none if the blind index is off */
  questionTokens(accountId: Buffer, tag: Uint8Array, question: Question<string>): Question<bigint>;
}

export function createBlindIndex(indexSecret: Uint8Array, enabled: boolean): BlindIndex {
  if (!enabled) return { entryOf: async () => undefined, questionTokens: () => noQuestion };
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
    entryOf: (accountId, tag, text) => inTurns(entrySteps(keyOf(accountId, tag), text)),
    questionTokens(accountId, tag, { terms, forms, related, ...rest }) {
      const key = keyOf(accountId, tag);
      const tokens = (some: readonly RelatedTerm<string>[]): RelatedTerm<bigint>[] =>
        some.map(({ term, of }) => ({ term: tokenOf(key, term), of }));
      return {
        terms: terms.map((term) => tokenOf(key, term)),
        forms: tokens(forms),
        related: tokens(related),
        ...rest,
      };
    },
  };
}

/** One step for each word, then for each word again, then for each token. */
export function* entrySteps(key: Uint8Array, text: string): Steps<BlindEntry> {
  const { counts, lengthBucket, distinctions } = yield* textTermSteps(text);
  const tokens: { token: bigint; times: number }[] = [];
  for (const [term, times] of counts) {
    yield;
    tokens.push({ token: tokenOf(key, term), times });
  }
  tokens.sort((a, b) => (a.token < b.token ? -1 : 1));
  const atLeast = (least: number): bigint[] =>
    tokens.filter(({ times }) => times >= least).map(({ token }) => token);
  return {
    tokens: atLeast(1),
    twice: atLeast(2),
    often: atLeast(3),
    lengthBucket,
    distinctions: tokenOf(key, distinctions),
  };
}

/** A signed 64-bit number, as stored in Postgres. */
function tokenOf(key: Uint8Array, term: string): bigint {
  return Buffer.from(blindToken(key, term)).readBigInt64BE();
}
