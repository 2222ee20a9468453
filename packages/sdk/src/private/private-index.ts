import { toBase64 } from '@memrelay/protocol/bytes';
import type { PrivateIndex, PrivateQuestion } from '@memrelay/protocol/private-fields';
import { allSteps } from '@memrelay/text-index/base/steps';
import { contextValuesOf, namedContext, tagValue } from '@memrelay/text-index/context';
import { questionOf, type RelatedTerm } from '@memrelay/text-index/question';
import { textTermSteps } from '@memrelay/text-index/text-terms';
import { tokenizerVersion } from '@memrelay/text-index/words/terms';
import type { SearchKeys } from './search-keys.ts';

/** Context fields of a memory that can be searched for. */
export interface IndexedContext {
  session?: string | undefined;
  speaker?: string | undefined;
  /** RFC 3339 */
  happenedAt?: string | undefined;
  tags?: readonly string[] | undefined;
  /** RFC 3339. Not a token: the relayer forgets the memory then */
  expiresAt?: string | undefined;
}

export function indexDataOf(keys: SearchKeys, text: string, context: IndexedContext = {}): PrivateIndex {
  const { counts, lengthBucket, distinctions } = allSteps(textTermSteps(text));
  const tokens = [...counts]
    .map(([term, times]) => ({ token: keys.wordToken(term), times }))
    .sort((a, b) => compareBytes(a.token, b.token));
  const atLeast = (least: number): string =>
    joined(tokens.filter(({ times }) => times >= least).map(({ token }) => token));
  const [twice, often] = [atLeast(2), atLeast(3)];
  return {
    search_id: keys.searchId,
    tokenizer: tokenizerVersion,
    tokens: atLeast(1),
    ...(twice === '' ? {} : { twice }),
    ...(often === '' ? {} : { often }),
    length_bucket: lengthBucket,
    distinctions: toBase64(keys.wordToken(distinctions)),
    ...contextTokens(keys, context),
  };
}

function contextTokens(
  keys: SearchKeys,
  { tags = [], expiresAt, ...fields }: IndexedContext,
): Pick<PrivateIndex, 'context' | 'tags' | 'expires_at'> {
  const values = Object.entries(contextValuesOf(fields)) as [
    'session' | 'speaker' | 'day' | 'month',
    string,
  ][];
  const context = values.map(([label, value]) => [label, toBase64(keys.contextToken(label, value))] as const);
  return {
    ...(context.length === 0 ? {} : { context: Object.fromEntries(context) }),
    ...(tags.length === 0 ? {} : { tags: tagTokens(keys, tags) }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

/** Sorted, so that they do not reveal the order in which the tags were given. */
function tagTokens(keys: SearchKeys, tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => toBase64(keys.contextToken('tag', tagValue(tag)))))].sort();
}

export interface AskedOptions {
  /** For questions without a vector of a model, which would know that "tea" answers "drink" */
  withRelated: boolean;
  tags?:
    | {
        any?: readonly string[] | undefined;
        all?: readonly string[] | undefined;
        not?: readonly string[] | undefined;
      }
    | undefined;
  nowMs: number;
}

export function questionTokens(keys: SearchKeys, question: string, options: AskedOptions): PrivateQuestion {
  const { terms, forms, related, names } = questionOf(question, options.withRelated);
  const word = (term: string): string => toBase64(keys.wordToken(term));
  const instead = (some: readonly RelatedTerm<string>[]): PrivateQuestion['forms'] =>
    some.map(({ term, of }) => [word(term), of]);
  const named = namedContext(question, options.nowMs);
  const context = presentLists({
    speakers: valueTokens(keys, 'speaker', named.speakers),
    days: valueTokens(keys, 'day', named.days),
    months: valueTokens(keys, 'month', named.months),
  });
  const { any = [], all = [], not = [] } = options.tags ?? {};
  const tags = presentLists({
    any: tagTokens(keys, any),
    all: tagTokens(keys, all),
    not: tagTokens(keys, not),
  });
  return {
    search_id: keys.searchId,
    tokenizer: tokenizerVersion,
    terms: terms.map(word),
    forms: instead(forms),
    related: instead(related),
    names: [...names],
    ...(context ? { context } : {}),
    ...(tags ? { tags } : {}),
  };
}

function valueTokens(
  keys: SearchKeys,
  label: 'speaker' | 'day' | 'month',
  values: ReadonlySet<string>,
): string[] {
  return [...values].map((value) => toBase64(keys.contextToken(label, value))).sort();
}

function presentLists<Name extends string>(
  lists: Record<Name, string[]>,
): Partial<Record<Name, string[]>> | undefined {
  const present = (Object.entries(lists) as [Name, string[]][]).filter(([, list]) => list.length > 0);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Partial<Record<Name, string[]>>);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

function joined(tokens: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(tokens.length * 16);
  for (const [i, token] of tokens.entries()) bytes.set(token, i * 16);
  return toBase64(bytes);
}
