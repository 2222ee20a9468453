import { tokenizerVersion } from '@memrelay/text-index/words/terms';
import type { SqlValue } from '../base/db/db.ts';
import type { BlindEntry } from './keywords/blind-index.ts';

/** Columns of `memory` that hold its blind index entry. */
export const keywordColumns =
  'tokens, tokens_twice, tokens_often, length_bucket, distinctions, token_version';

/** Placeholders for `keywordValues` in a statement, from `$first` on. */
export function keywordPlaceholders(first: number): string {
  const array = (no: number): string => `$${no}::text::bigint[]`;
  return `${array(first)}, ${array(first + 1)}, ${array(first + 2)}, $${first + 3}::smallint, $${first + 4}::bigint, $${first + 5}::smallint`;
}

/** One value per column; all NULL without an entry. */
export function keywordValues(entry: BlindEntry | undefined): SqlValue[] {
  if (!entry) return [null, null, null, null, null, null];
  const { tokens, twice, often, lengthBucket, distinctions } = entry;
  const orNull = (some: readonly bigint[]): string | null => (some.length > 0 ? tokenList(some) : null);
  return [
    tokenList(tokens),
    orNull(twice),
    orNull(often),
    lengthBucket,
    distinctions.toString(),
    tokenizerVersion,
  ];
}

/** Appends `keywordValues` to the values of a statement, and returns their placeholders. */
export function addKeywords(values: SqlValue[], entry: BlindEntry | undefined): string {
  const placeholders = keywordPlaceholders(values.length + 1);
  values.push(...keywordValues(entry));
  return placeholders;
}

/** An array literal that is cast in SQL, because drivers differ in how they pass arrays of 64-bit numbers. */
export function tokenList(tokens: readonly bigint[]): string {
  return `{${tokens.join(',')}}`;
}
