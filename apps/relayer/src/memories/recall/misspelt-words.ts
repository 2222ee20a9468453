import { mayBeMisspelt, spellingSteps } from '@memrelay/text-index/misspelling';
import { noQuestion, type Question, searchedTerms } from '@memrelay/text-index/question';
import { inTurns } from '../../base/concurrency/in-turns.ts';
import { createPauses } from '../../base/concurrency/pauses.ts';
import type { BlindIndex } from '../../index/keywords/blind-index.ts';
import type { NamespaceSearch } from './namespace-search.ts';

/** Words per question that are looked for in other spellings */
const most = 2;

export interface AskedPlace {
  accountId: Buffer;
  namespace: string;
  /** Namespace tag, 16 bytes */
  tag: Uint8Array;
}

/**
 * Looks for other spellings of the question's long words that no text contains: one letter too many, too few or wrong,
 * or two in the wrong order. Returns the question with those that texts contain as related terms, or undefined if there
 * are none. `documents`: the number of texts with each term.
 */
export async function respelled(
  blindIndex: Pick<BlindIndex, 'questionTokens'>,
  { accountId, tag }: Pick<AskedPlace, 'accountId' | 'tag'>,
  searched: Pick<NamespaceSearch, 'tokensInUse'>,
  query: string,
  question: Question<bigint>,
  documents: readonly number[],
): Promise<Question<bigint> | undefined> {
  const places = [...question.terms.keys(), ...[...question.forms, ...question.related].map(({ of }) => of)];
  const known = new Set(places.filter((_, i) => documents[i]! > 0));
  const unknown = [...question.spelled.entries()].filter(([i, word]) => !known.has(i) && mayBeMisspelt(word));
  if (unknown.length === 0) return undefined;
  const tokens: bigint[] = [];
  const instead: number[] = [];
  const pause = createPauses();
  for (const [of, word] of unknown.slice(0, most)) {
    const terms = await inTurns(spellingSteps(word, query));
    await pause();
    tokens.push(...blindIndex.questionTokens(accountId, tag, { ...noQuestion, terms }).terms);
    instead.push(...terms.map(() => of));
  }
  const asked = new Set(searchedTerms(question));
  const used = await searched.tokensInUse(tokens);
  const related = tokens.flatMap((term, i) =>
    used.has(term) && !asked.has(term) ? [{ term, of: instead[i]! }] : [],
  );
  return related.length > 0 ? { ...question, related: [...question.related, ...related] } : undefined;
}
