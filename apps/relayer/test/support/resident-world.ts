import { randomBytes } from 'node:crypto';
import { type AccountNamespace, insertIndexed, tagOfNamespace } from '@memrelay/dev-env/search-index';
import type { SealedContext } from '@memrelay/protocol/context-fields';
import { questionOf } from '@memrelay/text-index/question';
import { expect } from 'vitest';
import type { Db, Queryable } from '../../src/base/db/db.ts';
import { encodeVector } from '../../src/base/db/vector.ts';
import { contextTokens } from '../../src/index/context-tokens.ts';
import { keywordColumns, keywordPlaceholders, keywordValues } from '../../src/index/keyword-columns.ts';
import { createNamespaceSearches, type NamespaceSearch } from '../../src/memories/recall/namespace-search.ts';
import { type AnyIndex, createResidentIndexes } from '../../src/memories/resident/resident-indexes.ts';
import type { Match } from '../../src/memories/rows/match.ts';
import { readNamespaceSize } from '../../src/memories/rows/search-rows.ts';
import { accountVectors, blindIndex, indexerWith, lexical } from './index-parts.ts';

const indexer = indexerWith();
const silent = { warn: () => undefined };

export interface Stored {
  state?: string;
  storedAt?: Date;
  context?: SealedContext;
}

let accounts = 0;

/** Memories of one namespace that are searched in the tables and in memory, in one of the two ways. */
export function residentWorld(db: Db, kind: AnyIndex['kind'], maxBytes = 1e9) {
  // Not a random one: the vectors depend on it
  const place: AccountNamespace = { accountId: Buffer.alloc(32, ++accounts), namespace: 'default' };
  const tag = tagOfNamespace(place);
  const tokens = contextTokens({ indexSecret: Buffer.alloc(32, 9), accountId: place.accountId, tag });
  const lookups: boolean[] = [];
  const indexes = createResidentIndexes(db, {
    maxBytes,
    wholeUpTo: kind === 'codes' ? -1 : Number.POSITIVE_INFINITY,
    logger: silent,
    countLookup: (found) => lookups.push(found),
  });
  const indexed = async (text: string) =>
    (await indexer.indexTexts([{ accountId: place.accountId, tag, text }]))[0]!;

  async function store(text: string, { context, ...options }: Stored = {}, on: Queryable = db) {
    const id = await insertIndexed(on, place, await indexed(text), {
      ...options,
      context: tokens.columnsOf(context),
    });
    await on.query('UPDATE memory SET envelope_id = $3 WHERE account_id = $1 AND id = $2', [
      place.accountId,
      id,
      randomBytes(16),
    ]);
    return id;
  }

  /** As a change of the embedding model would, in one transaction. */
  async function embedAgain(id: string, text: string): Promise<void> {
    const { info, chunks, keywords } = await indexed(text);
    await db.transaction(async (tx) => {
      await tx.query(
        `UPDATE memory SET (${keywordColumns}) = (${keywordPlaceholders(3)}) WHERE account_id = $1 AND id = $2`,
        [place.accountId, id, ...keywordValues(keywords)],
      );
      await tx.query('DELETE FROM memory_vector WHERE account_id = $1 AND memory_id = $2', [
        place.accountId,
        id,
      ]);
      for (const { no, vector } of chunks)
        await tx.query(
          `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
           VALUES ($1, $2, $3, $4, $5, $6, $7::vector, binary_quantize($7::vector))`,
          [place.accountId, place.namespace, info.model, id, no, info.keyId, encodeVector(vector)],
        );
    });
  }

  async function forget(id: string): Promise<void> {
    await db.query(
      `WITH gone AS (DELETE FROM memory WHERE account_id = $1 AND id = $2 RETURNING id)
       DELETE FROM memory_vector USING gone WHERE account_id = $1 AND memory_id = gone.id`,
      [place.accountId, id],
    );
  }

  const current = () => indexes.current({ ...place, model: lexical.model }, 0);

  /** Searches until the namespace is in memory. */
  async function warm(): Promise<void> {
    await expect.poll(current, { timeout: 60_000 }).toBeDefined();
  }

  /** What a recall of the question reads, by a search of the tables or in memory. */
  async function asked(searched: NamespaceSearch, text: string, includePending: boolean) {
    const [vector] = await lexical.embed([text], [place.accountId]);
    const question = blindIndex.questionTokens(place.accountId, tag, questionOf(text, true));
    const size = await readNamespaceSize(db, place.accountId, place.namespace, lexical.model);
    const mapped = accountVectors.mapOf(place.accountId).apply(vector!);
    const query = { ...place, model: lexical.model, vector: mapped, question, limit: 10, includePending };
    const { matches, documents } = await searched.search(query, size);
    const ids = matches.slice(0, 5).map(({ id }) => id);
    const adjacent = await searched.adjacent(query, ids, ids);
    return {
      matches: matches.map(comparable).sort((a, b) => (a.id < b.id ? -1 : 1)),
      distances: new Map(matches.map(({ id, distance }) => [id, distance])),
      documents,
      adjacent: adjacent
        .map(({ id, of, match }) => ({
          id,
          of: of.toSorted((a, b) => a.index - b.index || a.steps - b.steps),
          match: match && comparable(match),
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      used: [...(await searched.tokensInUse([...question.terms, 1n]))].sort(),
    };
  }

  /** Expects the same of both ways to search, and returns it. */
  async function compare(text: string, includePending = false) {
    const query = { ...place, model: lexical.model };
    const inTables = await createNamespaceSearches(db).of(query, { texts: 0 });
    const index = await current();
    expect(index?.kind).toBe(kind);
    const inMemory = await createNamespaceSearches(db, { current: async () => index }).of(query, {
      texts: 0,
    });
    const expected = await asked(inTables, text, includePending);
    const found = await asked(inMemory, text, includePending);
    expect(found).toEqual({ ...expected, distances: found.distances });
    for (const [id, distance] of expected.distances) expect(found.distances.get(id)).toBeCloseTo(distance, 4);
    return found;
  }

  return { place, indexes, lookups, store, embedAgain, forget, current, warm, compare };
}

/** Distances are compared with a tolerance: Postgres adds them up in another order. */
function comparable({ distance: _, ...match }: Match) {
  return match;
}
