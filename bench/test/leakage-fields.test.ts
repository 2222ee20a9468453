import { indexParts } from '@memrelay/dev-env/index-parts';
import { expect, test } from 'vitest';
import {
  groups,
  monthsInOrder,
  namedByRows,
  sharedTokens,
  taggingsNamed,
  trueNames,
} from '../src/leakage/field-attacks.ts';
import type { FieldNamespace, FieldRow } from '../src/leakage/field-rows.ts';
import { matchByFrequency } from '../src/leakage/frequency-matching.ts';
import { seededRandom } from '../src/leakage/random.ts';

const { contextTokens, unpack } = indexParts;

/** docs/security.md, "Context fields": the results of the attacks on tokens as the relayer computes them. */

const indexSecret = Buffer.alloc(32, 4);
const tagNames = ['garden', 'house', 'school', 'tax', 'piano', 'boat'];

/** 120 memories of three months, with tags of falling frequency. */
function namespaceOf(name: string, account: number, seed = 1): FieldNamespace {
  const random = seededRandom(seed);
  const tokens = contextTokens({
    indexSecret,
    accountId: Buffer.alloc(32, account),
    tag: Buffer.from(name.padEnd(16)),
  });
  const rows = Array.from({ length: 120 }, (_, i): FieldRow => {
    const month = `2023-${11 + Math.floor(i / 60)}`;
    const session = `session ${Math.floor(i / 10)}`;
    const speaker = i % 3 === 0 ? 'Ada' : 'Ben';
    const tags = tagNames.filter((_, rank) => random() < 0.6 / (rank + 1));
    const columns = tokens.columnsOf({ session, speaker, happened_at: `${month}-08T12:00:00Z`, tags });
    return {
      tokens: unpack(columns.packed),
      values: { session, speaker, day: `${month}-08`, month },
      tagTokens: columns.tags.map(String),
      tags,
    };
  });
  return { name, rows };
}

const attacked = namespaceOf('n', 5);
const tagsOf = ({ rows }: FieldNamespace) => rows.map(({ tags }) => tags);
const tagTokensOf = ({ rows }: FieldNamespace) => rows.map(({ tagTokens }) => tagTokens);
const truth = trueNames(attacked.rows);

test('equal tokens show the groups of a field exactly', () => {
  expect(groups(attacked, 'session')).toEqual({ groups: 12, exact: true });
  expect(groups(attacked, 'speaker')).toEqual({ groups: 2, exact: true });
  expect(groups(attacked, 'month')).toEqual({ groups: 2, exact: true });
});

test('a known row names the field of all rows with the same token', () => {
  expect(namedByRows(attacked.rows.slice(0, 1), attacked.rows.slice(1), 'session')).toBeCloseTo(9 / 119);
  expect(namedByRows(attacked.rows.slice(0, 2), attacked.rows.slice(2), 'speaker')).toBe(1);
  expect(monthsInOrder(attacked, attacked.rows[0]!)).toBe(1);
});

test('frequencies and pairs name tags if the attacker knows how they are used', () => {
  const named = (texts: readonly (readonly string[])[]) =>
    taggingsNamed(attacked.rows, matchByFrequency(tagTokensOf(attacked), texts, new Map(), true), truth);
  expect(named(tagsOf(attacked))).toBe(1);
  expect(named(tagsOf(namespaceOf('n', 5, 2)))).toBeGreaterThan(0.3);
  // Frequencies that say nothing
  expect(named(tagsOf(attacked).map((tags) => tags.map((tag) => `other ${tag}`)))).toBe(0);
});

test('a known tag is kept, also if the other texts do not have it', () => {
  const token = [...truth.keys()][0]!;
  const named = matchByFrequency(
    tagTokensOf(attacked),
    [['a'], ['a', 'b']],
    new Map([[token, 'known']]),
    true,
  );
  expect(named.get(token)).toBe('known');
});

test('other namespaces and accounts share no token', () => {
  expect(sharedTokens(attacked, attacked)).toBeGreaterThan(20);
  expect(sharedTokens(attacked, namespaceOf('m', 5))).toBe(0);
  expect(sharedTokens(attacked, namespaceOf('n', 6))).toBe(0);
});
