import { searchedTerms } from '@memrelay/text-index/question';
import type { Db } from '../../base/db/db.ts';
import { encodeVector } from '../../base/db/vector.ts';
import { tokenList } from '../../index/keyword-columns.ts';
import type { Match } from './match.ts';
import { type MatchRow, matchOf, type SearchQuery } from './search-rows.ts';
import { distanceTo, isVisible, matchColumns, stepsOf } from './search-sql.ts';

/** Memories that were stored further apart than this do not belong together. */
const gap = `interval '30 minutes'`;

/** A memory that was stored shortly before or after others. */
export interface Adjacent {
  id: string;
  /** Index of the other memory, and how many memories apart they are: 1 or 2 */
  of: readonly { index: number; steps: number }[];
  /** Absent if it is one of the known memories, or not visible */
  match: Match | undefined;
}

export const earlier = {
  compare: '<',
  order: 'created_at DESC, id DESC',
  limit: `>= hit.created_at - ${gap}`,
};
export const later = { compare: '>', order: 'created_at, id', limit: `<= hit.created_at + ${gap}` };

/** The two memories on one side of `hit`, from an index that has their ids. */
const twoOn = ({ compare, order, limit }: typeof earlier): string => `
  (SELECT id, row_number() OVER (ORDER BY ${order}) AS steps FROM (
    SELECT id, created_at FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
      AND (created_at, id) ${compare} (hit.created_at, hit.id) AND created_at ${limit}
    ORDER BY ${order} LIMIT 2) AS two)`;

/**
 * Parameters as in search-sql.ts: 1 account, 2 namespace, 3 embedding model, 4 vector, 6 whether pending memories count;
 * in addition 5 ids of the memories, 7 ids of known memories, 8 tokens. A subquery of parameters alone is evaluated once:
 * parsing the known ids for each row took four fifths of the time.
 */
const adjacentSql = `
  WITH asked AS MATERIALIZED (
    SELECT token FROM unnest($8::text::bigint[]) WITH ORDINALITY AS given (token, no) ORDER BY no),
  adjacent AS MATERIALIZED (
    SELECT other.id, string_agg(((anchor.no - 1) * 4 + other.steps)::text, ',') AS of
    FROM unnest($5::text::uuid[]) WITH ORDINALITY AS anchor (id, no),
      LATERAL (SELECT id, created_at FROM memory WHERE account_id = $1 AND id = anchor.id LIMIT 1) AS hit,
      LATERAL (${twoOn(earlier)} UNION ALL ${twoOn(later)}) AS other
    GROUP BY other.id)
  SELECT adjacent.id AS adjacent_id, adjacent.of, ${matchColumns('m')}, m.length_bucket, best.distance IS NULL AS stale,
    coalesce(best.distance, 1) AS distance, false AS near, ${stepsOf('asked', 'm')} AS steps
  FROM adjacent
  LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT * FROM memory
      WHERE account_id = $1 AND id = adjacent.id AND NOT adjacent.id = ANY ((SELECT $7::text::uuid[])::uuid[])
      LIMIT 1) AS one
    WHERE ${isVisible}) AS m ON true
  LEFT JOIN LATERAL (
    SELECT min(${distanceTo('embedding')}) AS distance FROM memory_vector
    WHERE account_id = $1 AND memory_id = m.id AND embedding_model = $3) AS best ON true`;

/**
 * Returns the memories stored up to two before and after each of these, within half an hour. `known`: ids of memories
 * whose columns the caller has already.
 */
export async function readAdjacent(
  db: Db,
  query: SearchQuery,
  ids: readonly string[],
  known: readonly string[],
): Promise<Adjacent[]> {
  const { rows } = await db.query<MatchRow & { adjacent_id: string; of: string; id: string | null }>(
    adjacentSql,
    [
      query.accountId,
      query.namespace,
      query.model,
      encodeVector(query.vector),
      `{${ids.join()}}`,
      query.includePending,
      `{${known.join()}}`,
      tokenList(searchedTerms(query.question)),
    ],
    { prepared: true },
  );
  return rows.map((row) => ({
    id: row.adjacent_id,
    of: row.of.split(',').map((pair) => ({ index: Number(pair) >> 2, steps: Number(pair) & 3 })),
    match: row.id === null ? undefined : matchOf(row),
  }));
}

/** Similarity of memories that were stored one after the other (`near`), and of others in the namespace (`far`). */
export interface Cohesion {
  near: Sample;
  far: Sample;
}

interface Sample {
  pairs: number;
  mean: number;
  variance: number;
}

/** Number of newest memories that are compared with each other */
const compared = 256;

/**
 * Compares pairs 1 and 2 apart with pairs 31 and 32 apart. Both have an odd and an even distance, because in a dialogue
 * every other memory has the same speaker.
 */
const cohesionSql = `
  WITH placed AS MATERIALIZED (
    SELECT newest.no, newest.created_at, v.embedding
    FROM (
      SELECT id, created_at, row_number() OVER (ORDER BY created_at DESC, id DESC) AS no FROM (
        SELECT id, created_at FROM memory WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
        ORDER BY created_at DESC, id DESC LIMIT ${compared}) AS latest) AS newest,
      LATERAL (
        SELECT embedding FROM memory_vector
        WHERE account_id = $1 AND memory_id = newest.id AND embedding_model = $3 ORDER BY chunk_no LIMIT 1) AS v)
  SELECT apart <= 2 AS near, count(*)::int AS pairs, avg(similarity) AS mean, var_samp(similarity) AS variance
  FROM (
    SELECT apart, -(a.embedding <#> b.embedding) AS similarity
    FROM unnest(ARRAY[1, 2, 31, 32]) AS apart, placed AS a, placed AS b
    WHERE b.no = a.no + apart AND (apart > 2 OR a.created_at - b.created_at <= ${gap})) AS pair
  GROUP BY 1`;

/** Compares the newest memories of a namespace: 3 ms for 256 of them. */
export async function readCohesion(
  db: Db,
  accountId: Buffer,
  namespace: string,
  model: string,
): Promise<Cohesion> {
  const { rows } = await db.query<{ near: boolean; pairs: number; mean: number; variance: number | null }>(
    cohesionSql,
    [accountId, namespace, model],
  );
  const sample = (isNear: boolean): Sample => {
    const row = rows.find(({ near }) => near === isNear);
    return { pairs: row?.pairs ?? 0, mean: row?.mean ?? 0, variance: row?.variance ?? 0 };
  };
  return { near: sample(true), far: sample(false) };
}
