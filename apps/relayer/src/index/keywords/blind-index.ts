import { blindToken, indexKey } from '@memrelay/envelope/at-rest';
import { LRUCache } from 'lru-cache';
import { inTurns, type Steps } from '../../base/concurrency/in-turns.ts';
import { lengthBucket } from './bm25.ts';
import { distinctionSteps } from './distinctions.ts';
import { piecesOf } from './pieces.ts';
import { noQuestion, type Question, type RelatedTerm } from './question.ts';
import { termsIn } from './terms.ts';

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
  /** Token of the text's numbers and negations (distinctions.ts) */
  distinctions: bigint;
}

/** Creates tokens that only the holder of the index key can compute, different in each account and namespace. */
export interface BlindIndex {
  /** Undefined if the blind index is off. Lets other work run while it processes a long text. */
  entryOf(accountId: Buffer, tag: Uint8Array, text: string): Promise<BlindEntry | undefined>;
  /** The tokens of a question; none if the blind index is off */
  questionTokens(accountId: Buffer, tag: Uint8Array, question: Question<string>): Question<bigint>;
}

/** Only this many distinct terms from the start of a text are indexed: a row of 128 KB. */
const maxTokens = 16_384;

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

/** One step for each word, then for each token, then for each word again. */
export function* entrySteps(key: Uint8Array, text: string): Steps<BlindEntry> {
  const counts = new Map<string, number>();
  let length = 0;
  for (const piece of piecesOf(text)) {
    yield;
    for (const forms of termsIn(piece)) {
      yield;
      if (!forms) continue;
      length += 1;
      for (const term of forms) {
        const times = counts.get(term);
        if (times !== undefined || counts.size < maxTokens) counts.set(term, (times ?? 0) + 1);
      }
    }
  }
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
    lengthBucket: lengthBucket(length),
    // No term contains this bracket, so no word can have this token
    distinctions: tokenOf(key, yield* distinctionSteps(text)),
  };
}

/** A signed 64-bit number, as stored in Postgres. */
function tokenOf(key: Uint8Array, term: string): bigint {
  return Buffer.from(blindToken(key, term)).readBigInt64BE();
}
