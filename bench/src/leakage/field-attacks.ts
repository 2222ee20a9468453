import {
  type FieldName,
  type FieldNamespace,
  type FieldRow,
  fieldNames,
  type StoredFields,
} from './field-rows.ts';
import { matchByFrequency } from './frequency-matching.ts';
import { seededRandom, shuffled } from './random.ts';
import { namedByKnown } from './word-attacks.ts';

/** What the tokens of context fields reveal to an attacker with the database but without `MEM_INDEX_KEY`. */

export type Figures = Record<string, number>;

/** Groups that rows with equal tokens form, and whether they are exactly those of rows with equal values. */
export function groups({ rows }: FieldNamespace, field: FieldName): { groups: number; exact: boolean } {
  const values = new Map<string, Set<string>>();
  for (const { tokens, values: own } of rows)
    if (tokens[field] !== undefined)
      values.set(tokens[field], (values.get(tokens[field]) ?? new Set()).add(own[field]!));
  const different = new Set(rows.flatMap(({ values: own }) => own[field] ?? []));
  return {
    groups: values.size,
    exact: different.size === values.size && [...values.values()].every(({ size }) => size === 1),
  };
}

/**
 * Share of the other rows whose value an attacker knows after learning those of the known rows: equal tokens have equal values.
 */
export function namedByRows(
  known: readonly FieldRow[],
  unknown: readonly FieldRow[],
  field: FieldName,
): number {
  const named = new Set(known.map(({ tokens }) => tokens[field]));
  const having = unknown.filter(({ tokens }) => tokens[field] !== undefined);
  return having.filter(({ tokens }) => named.has(tokens[field])).length / having.length;
}

/**
 * Share of the rows whose month an attacker knows who knows that of one row, and assumes that the months of the
 * others follow each other in the order in which the memories were stored.
 */
export function monthsInOrder({ rows }: FieldNamespace, known: FieldRow): number {
  const order = [...new Set(rows.flatMap(({ tokens }) => tokens.month ?? []))];
  const start = order.indexOf(known.tokens.month!);
  const right = rows.filter(({ tokens, values }) => {
    const guess = monthAfter(known.values.month!, order.indexOf(tokens.month!) - start);
    return guess === values.month;
  });
  return right.length / rows.length;
}

/** `2023-12` and 2 give `2024-02`. */
function monthAfter(month: string, months: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}

/** Share of the tags on rows whose token was given the right name. */
export function taggingsNamed(
  rows: readonly FieldRow[],
  named: ReadonlyMap<string, string>,
  truth: ReadonlyMap<string, string>,
): number {
  const all = rows.flatMap(({ tagTokens }) => tagTokens);
  return all.filter((token) => named.get(token) === truth.get(token)).length / all.length;
}

/** Token of each tag: a tag is on exactly the rows that have its token. */
export function trueNames(rows: readonly FieldRow[]): Map<string, string> {
  const sets = (labels: (row: FieldRow) => readonly string[]): Map<string, string> => {
    const found = new Map<string, number[]>();
    for (const [i, row] of rows.entries())
      for (const label of labels(row)) found.set(label, [...(found.get(label) ?? []), i]);
    return new Map([...found].map(([label, where]) => [label, where.join()]));
  };
  const tagAt = new Map([...sets(({ tags }) => tags)].map(([tag, where]) => [where, tag]));
  return new Map([...sets(({ tagTokens }) => tagTokens)].map(([token, where]) => [token, tagAt.get(where)!]));
}

const rowsAsWords = (rows: readonly FieldRow[]) =>
  rows.map(({ tagTokens, tags }) => ({
    tokens: new Map(tagTokens.map((token) => [token, 1])),
    terms: new Map(tags.map((tag) => [tag, 1])),
  }));

/** Number of tokens that two namespaces have in common. */
export function sharedTokens(one: FieldNamespace, other: FieldNamespace): number {
  const all = ({ rows }: FieldNamespace): Set<string> =>
    new Set(rows.flatMap(({ tokens, tagTokens }) => [...Object.values(tokens), ...tagTokens]));
  const others = all(other);
  return [...all(one)].filter((token) => others.has(token)).length;
}

const repetitions = 4;

/** All figures. Means of four draws of known rows. */
export function attackFields({
  attacked,
  otherNamespace,
  otherAccount,
  halves,
  auxiliary,
}: StoredFields): Figures {
  const { rows } = attacked;
  const figures: Figures = {};
  for (const field of fieldNames) {
    const seen = groups(attacked, field);
    figures[`${field}: groups seen`] = seen.groups;
    figures[`${field}: groups are exactly the true ones`] = Number(seen.exact);
  }
  const truth = trueNames(rows);
  const tagTokens = rows.map(({ tagTokens: tokens }) => tokens);
  figures['tag: different'] = truth.size;
  for (const [name, withPairs] of [
    ['frequency', false],
    ['frequency and pairs', true],
  ] as const)
    figures[`tag: named by ${name}`] = taggingsNamed(
      rows,
      matchByFrequency(tagTokens, auxiliary, new Map(), withPairs),
      truth,
    );
  figures['tag: named by frequency and pairs, true counts known'] = taggingsNamed(
    rows,
    matchByFrequency(
      tagTokens,
      rows.map(({ tags }) => tags),
      new Map(),
      true,
    ),
    truth,
  );
  const add = (name: string, value: number): void => {
    figures[name] = (figures[name] ?? 0) + value / repetitions;
  };
  for (let seed = 0; seed < repetitions; seed++) {
    const order = shuffled(rows, seededRandom(seed));
    for (const known of [1, 10, 50]) {
      const [inside, outside] = [order.slice(0, known), order.slice(known)];
      for (const field of fieldNames)
        add(`${field}: named, ${known} known texts`, namedByRows(inside, outside, field));
      const named = namedByKnown(rowsAsWords(inside));
      add(`tag: named, ${known} known texts`, taggingsNamed(outside, named, truth));
      const matched = matchByFrequency(tagTokens, auxiliary, named, true);
      add(`tag: named, ${known} known texts, frequency and pairs`, taggingsNamed(outside, matched, truth));
    }
    add('month: named in order, 1 known text', monthsInOrder(attacked, order[0]!));
  }
  figures['tokens shared with another namespace'] = sharedTokens(attacked, otherNamespace);
  figures['tokens shared with another account'] = sharedTokens(attacked, otherAccount);
  const [odd, even] = halves;
  const evenTruth = trueNames(even.rows);
  const linked = matchByFrequency(
    odd.rows.map((row) => row.tagTokens),
    even.rows.map((row) => row.tagTokens),
    new Map(),
    true,
  );
  const names = new Map([...linked].map(([token, other]) => [token, evenTruth.get(other) ?? '']));
  figures['tag: linked to those of another namespace, frequency and pairs'] = taggingsNamed(
    odd.rows,
    names,
    trueNames(odd.rows),
  );
  return figures;
}
