import { createHash } from 'node:crypto';
import { indexParts } from '@memrelay/dev-env/index-parts';
import type { EmbeddingConfig, SearchIndex } from '@memrelay/dev-env/search-index';
import { openSearchIndex } from '@memrelay/dev-env/search-index';
import type { Conversation, Unit } from '../recall-quality/locomo.ts';

const { termsOf, unpack } = indexParts;

/** Context fields that have a token of their own in a row. */
export const fieldNames = ['session', 'speaker', 'day', 'month'] as const;
export type FieldName = (typeof fieldNames)[number];

/** The tokens that a database stores of one memory's context fields, and the values that only its owner knows. */
export interface FieldRow {
  tokens: Readonly<Partial<Record<FieldName, string>>>;
  values: Readonly<Partial<Record<FieldName, string>>>;
  tagTokens: readonly string[];
  tags: readonly string[];
}

/** Rows in the order in which they were stored. */
export interface FieldNamespace {
  name: string;
  rows: FieldRow[];
}

/** Number of different tags */
const tagCount = 120;

/**
 * The tags of each turn, by its id. The conversations have none, so a turn is tagged with those of its words that are among
 * the most frequent ones of all conversations, without the speakers' names: a few frequent tags and many rare ones, as people use them.
 */
export function tagsOfTurns(conversations: readonly Conversation[]): ReadonlyMap<Unit, readonly string[]> {
  const turns = conversations.flatMap((each) => each.turns);
  const names = new Set(turns.flatMap(({ context }) => termsOf(context?.speaker ?? '')));
  const words = new Map(
    turns.map((turn) => [turn, [...new Set(termsOf(turn.text))].filter((word) => !names.has(word))] as const),
  );
  const counts = new Map<string, number>();
  for (const each of words.values()) for (const word of each) counts.set(word, (counts.get(word) ?? 0) + 1);
  const frequent = new Set(
    [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, tagCount)
      .map(([word]) => word),
  );
  return new Map(
    [...words].map(([turn, each]) => [turn, each.filter((word) => frequent.has(word)).slice(0, 32)]),
  );
}

interface StoredTokens {
  id: string;
  context_tokens: Buffer | null;
  tags: string[];
}

async function store(
  index: SearchIndex,
  account: string,
  name: string,
  turns: readonly Unit[],
  tags: ReadonlyMap<Unit, readonly string[]>,
): Promise<FieldNamespace> {
  const place = { accountId: createHash('sha256').update(account).digest(), namespace: name };
  const contexts = turns.map((turn) => ({ ...turn.context, tags: [...tags.get(turn)!] }));
  const texts = turns.map(({ text }) => text);
  const ids = await index.add(place, texts, undefined, contexts);
  const { rows } = await index.db.query<StoredTokens>(
    `SELECT id, context_tokens, coalesce(tag_tokens, '{}')::text[] AS tags FROM memory
     WHERE account_id = $1 AND namespace = $2`,
    [place.accountId, name],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    name,
    rows: contexts.map((context, i): FieldRow => {
      const { context_tokens: packed, tags: tagTokens } = byId.get(ids[i]!)!;
      const date = context.happened_at;
      return {
        tokens: unpack(packed),
        values: {
          ...(context.session ? { session: context.session } : {}),
          ...(context.speaker ? { speaker: context.speaker } : {}),
          ...(date ? { day: date.slice(0, 10), month: date.slice(0, 7) } : {}),
        },
        tagTokens,
        tags: context.tags,
      };
    }),
  };
}

/** Rows of the attacked namespace, and of places whose rows an attacker may try to link to it. */
export interface StoredFields {
  attacked: FieldNamespace;
  /** The same memories in another namespace of the account, and of another account */
  otherNamespace: FieldNamespace;
  otherAccount: FieldNamespace;
  /** The memories of every other session: two namespaces of one account with the same tags */
  halves: readonly [FieldNamespace, FieldNamespace];
  /** Tags of the other conversations, text by text: what an attacker may know about the use of tags */
  auxiliary: readonly (readonly string[])[];
}

/** Stores the first conversation through the relayer's index and reads its rows back from the database. */
export async function storeFields(
  databaseUrl: string,
  embedding: EmbeddingConfig,
  conversations: readonly Conversation[],
): Promise<StoredFields> {
  const index = await openSearchIndex(databaseUrl, embedding);
  try {
    const tags = tagsOfTurns(conversations);
    const [{ turns }, ...others] = conversations as [Conversation, ...Conversation[]];
    const half = (rest: number): Unit[] => turns.filter(({ id }) => Number(/\d+/.exec(id)![0]) % 2 === rest);
    return {
      attacked: await store(index, 'fields', 'attacked', turns, tags),
      otherNamespace: await store(index, 'fields', 'other', turns, tags),
      otherAccount: await store(index, 'other fields', 'attacked', turns, tags),
      halves: [
        await store(index, 'fields', 'odd sessions', half(1), tags),
        await store(index, 'fields', 'even sessions', half(0), tags),
      ],
      auxiliary: others.flatMap((each) => each.turns.map((turn) => tags.get(turn)!)),
    };
  } finally {
    await index.close();
  }
}
