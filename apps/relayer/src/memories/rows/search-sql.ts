import { assumedTexts, b, k1, lengthOf } from '@memrelay/text-index/bm25';
import { vectorsOf } from '../../index/vector-rows.ts';
import { successorOf } from '../../jobs/rows/successors.ts';
import { fieldColumns } from './match-fields.ts';
import { noTagFilter, type TagFilterSql } from './tag-filter.ts';

/**
 * One statement for both searches. Parameters: 1 account, 2 namespace, 3 embedding model, 4 vector, 5 candidates of
 * each search, 6 whether pending memories count, 7 rows of the shortlist, 8 sign bits of the vector; with keywords 9
 * tokens, 10 texts in the namespace, 11 their mean length, 12 texts that are read for one token, 13 for each token the
 * position of the question's term that it counts for: its own, or that of a term it is related to, 14 for each token its
 * number of texts if it is known to be common. The statements are prepared.
 */

/** Number of newest texts that are sampled for how common a term is that occurs in more texts than are read. */
const sampled = 200;

export const isVisible = `(state = 'done' OR ($6 AND state = 'pending'))`;

/** A subquery of parameters alone is evaluated once, an expression for each row. */
export const distanceTo = (embedding: string): string =>
  `1 + (${embedding} <#> (SELECT $4::vector::halfvec))`;

/** Few memories are hidden; `NOT IN` hashes them once. */
const isNotHidden = `memory_id NOT IN (
    SELECT id FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state IN ('pending', 'failed') AND NOT ($6 AND state = 'pending'))`;

const visibleVectors = `${vectorsOf('namespace = $2 AND embedding_model = $3')} AND ${isNotHidden}`;

/** The vectors to compare: those of the few memories that pass a filter are looked up by their key. */
const vectorsIn = ({ few }: TagFilterSql): string =>
  few
    ? `(SELECT v.* FROM labelled_ids, LATERAL (
        SELECT * FROM memory_vector WHERE account_id = $1 AND memory_id = labelled_ids.id OFFSET 0) v OFFSET 0)`
    : 'memory_vector';

/**
 * Compares all sign bits, in an index that has them, then the vectors of the best $7 (NULL: of all), each looked up by
 * its key.
 */
const compared = (filter: TagFilterSql): string => `
  SELECT v.memory_id, v.distance FROM (
    SELECT memory_id, chunk_no FROM ${vectorsIn(filter)} AS memory_vector
    WHERE ${visibleVectors} ${filter.few ? '' : filter.where('memory_id')}
    ORDER BY code::"bit" <~> $8::"bit" LIMIT $7::int) short,
  LATERAL (SELECT memory_id, ${distanceTo('embedding')} AS distance FROM memory_vector
    WHERE account_id = $1 AND memory_id = short.memory_id AND chunk_no = short.chunk_no AND embedding_model = $3
    LIMIT 1) v`;

/** As above, with the best ones given: 7 their numbers of pieces and 8 their memories. */
const comparedGiven = `
  SELECT v.memory_id, v.distance FROM unnest($8::text::uuid[], $7::text::int[]) AS short (memory_id, chunk_no),
  LATERAL (SELECT memory_id, ${distanceTo('embedding')} AS distance FROM memory_vector
    WHERE account_id = $1 AND memory_id = short.memory_id AND chunk_no = short.chunk_no AND embedding_model = $3
    LIMIT 1) v
  WHERE v.${isNotHidden}`;

/**
 * Distances are `1 − inner product` of unit vectors. A long memory counts by its best chunk. `OFFSET 0` keeps the
 * planner from carrying whole vectors into the grouping's sort, which then spills to disk (18 ms instead of 2 for
 * 1,000 rows).
 */
const near = (comparison: string): string => `
  near AS MATERIALIZED (
    SELECT memory_id AS id, min(distance) AS distance
    FROM (${comparison} OFFSET 0) candidate
    GROUP BY memory_id ORDER BY distance, memory_id LIMIT $5)`;

/**
 * Memories that contain a term. Tokens differ between namespaces, so the index on them alone leads to the right rows;
 * `OFFSET 0` keeps the planner from using the namespace's index instead, which it thinks small.
 */
const holders = (columns: string, token: string): string => `
  (SELECT ${columns} FROM memory WHERE tokens @> ARRAY[${token}] OFFSET 0)`;

const heldColumns = 'id, account_id, namespace, state, tokens_twice, tokens_often, length_bucket';

/** As `holders`, among the few memories that pass a filter. */
const labelledHolders = `
  (SELECT m.* FROM labelled_ids, LATERAL (
     SELECT ${heldColumns}, tokens FROM memory WHERE account_id = $1 AND id = labelled_ids.id LIMIT 1) m
   WHERE tokens @> ARRAY[token] OFFSET 0)`;

/** Occurrences beyond the first, up to two. */
const more = (token: string): string =>
  `coalesce(${token} = ANY (tokens_twice), false)::int + coalesce(${token} = ANY (tokens_often), false)::int`;

/**
 * One digit, 0 to 3, for each token of the relation, in its order: how often the memory contains it. Text is cheaper to build and
 * to parse than an array of numbers, and there is one for each of up to 80 rows.
 */
export const stepsOf = (relation: string, memory: string): string => {
  const has = (column: string): string => `${relation}.token = ANY (${memory}.${column})`;
  return `(SELECT string_agg(
    CASE WHEN ${has('tokens')} THEN
      CASE WHEN ${has('tokens_often')} THEN '3' WHEN ${has('tokens_twice')} THEN '2' ELSE '1' END
    ELSE '0' END, '') FROM ${relation})`;
};

/** A float8 literal: arithmetic with `numeric` is ten times slower. */
const float = (value: number): string => `${value}::float8`;

/**
 * The terms of the question with the texts that contain them, at most $12, and their number. Texts of terms that are known
 * to be common are not read.
 */
const postings = (filter: TagFilterSql): string => `
  asked AS MATERIALIZED (
    SELECT token, stands_for, known, no
    FROM unnest($9::text::bigint[], $13::text::int[], $14::text::int[]) WITH ORDINALITY
      AS given (token, stands_for, known, no)),
  posting AS MATERIALIZED (
    SELECT no, stands_for, id, state, 1 + ${more('token')} AS times, length_bucket
    FROM (SELECT * FROM asked WHERE known IS NULL) AS uncounted, LATERAL (
      SELECT * FROM ${filter.few ? labelledHolders : holders(heldColumns, 'token')} holder
      WHERE account_id = $1 AND namespace = $2 AND state <> 'failed' ${filter.few ? '' : filter.where('id')} LIMIT $12) held),
  held_by AS MATERIALIZED (SELECT no, count(*)::int AS documents FROM posting GROUP BY no),
  counted AS MATERIALIZED (
    SELECT no, token, known, coalesce(known, (SELECT documents FROM held_by WHERE held_by.no = asked.no), 0) AS documents
    FROM asked)`;

/** Looked up by its key: the planner may think that reading the whole table is cheaper. */
const memoryOf = (of: string): string =>
  `LATERAL (SELECT * FROM memory WHERE account_id = $1 AND id = ${of}.id LIMIT 1)`;

/**
 * The frequency of a term that occurs in more texts than are read is estimated from the newest of the namespace. An
 * index has their ids; if the tokens were selected along with them, a planner that thinks the namespace small would
 * sort all of it.
 */
const terms = `
  newest AS MATERIALIZED (
    SELECT tokens FROM (
      SELECT id FROM memory
      WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
        AND EXISTS (SELECT 1 FROM counted WHERE documents = $12 AND known IS NULL)
      ORDER BY created_at DESC, id DESC LIMIT ${sampled}) AS one, ${memoryOf('one')} AS m
    WHERE tokens IS NOT NULL),
  term AS MATERIALIZED (
    SELECT no, token, documents < $12 AS rare, CASE WHEN documents < $12 OR known IS NOT NULL THEN documents ELSE greatest(documents,
      (SELECT $10::float8 * count(*) FILTER (WHERE token = ANY (tokens)) / greatest(count(*), 1) FROM newest))::int
    END AS documents
    FROM counted ORDER BY no)`;

/** As `termWeight` and `coverage` (bm25.ts), over the rare terms: enough to choose the candidates. */
const weight = `ln(1 + (greatest($10::float8, documents) + ${float(assumedTexts)} - documents + ${float(0.5)}) / (documents + ${float(0.5)}))`;
const dampened = `${float(k1 * (1 - b))} + ${float(k1 * b * lengthOf(0))} * power(2::float8, length_bucket) / $11::float8`;

/**
 * A memory that contains only common terms is not a candidate of this search. The vector search finds it, and its words
 * count like all others.
 */
const found = `
  weight_of AS MATERIALIZED (
    SELECT array_agg(CASE WHEN rare THEN ${weight} END ORDER BY no) AS by_no FROM term),
  found AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, max(score) AS score FROM (
        SELECT id, stands_for, (SELECT by_no FROM weight_of)[no] / (1 + (${dampened}) / times) AS score
        FROM posting WHERE ${isVisible} OFFSET 0) scored
      WHERE score IS NOT NULL GROUP BY id, stands_for OFFSET 0) best
    GROUP BY id ORDER BY sum(score) DESC, id LIMIT $5)`;

/** Whether the namespace has lost memories at all: nearly none has. */
const hasLost = `EXISTS (
  SELECT 1 FROM lost_vector WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3) AS has_lost`;

export const matchColumns = (memory: string): string =>
  `${['id', 'state', 'blob_id', 'envelope_id', 'envelope_sha256', 'size', 'importance', 'created_at'].map((name) => `${memory}.${name}`).join(', ')},
  ${fieldColumns(memory)}, ${successorOf(memory, '$6')} AS superseded_by`;

const columns = `${matchColumns('m')}, ${hasLost}`;

const byVector = (filter: TagFilterSql, comparison: string): string => `
  WITH ${filter.with} ${near(comparison)}
  SELECT ${columns}, near.distance, true AS near
  FROM near, ${memoryOf('near')} m
  ORDER BY near.distance, m.id`;

/**
 * A memory that only its words found gets its vector distance too, or that of an unrelated text if it has no vector of
 * this model.
 */
const byBoth = (filter: TagFilterSql, comparison: string): string => `
  WITH ${filter.with} ${near(comparison)}, ${postings(filter)}, ${terms}, ${found},
  candidate AS (
    SELECT id, distance, true AS near, false AS stale FROM near
    UNION ALL
    SELECT id, coalesce(best.distance, 1), false, best.distance IS NULL
    FROM found, LATERAL (
      SELECT min(${distanceTo('embedding')}) AS distance FROM memory_vector
      WHERE account_id = $1 AND memory_id = found.id AND embedding_model = $3) best
    WHERE id NOT IN (SELECT id FROM near))
  SELECT ${columns}, candidate.distance, candidate.near, candidate.stale, m.length_bucket,
    ${stepsOf('term', 'm')} AS steps, (SELECT string_agg(documents::text, ',') FROM term) AS documents
  FROM candidate, ${memoryOf('candidate')} m
  ORDER BY candidate.distance, m.id`;

/**
 * Parameters: 1 account, 2 namespace, 3 tokens. Reads all texts with each token: if one were enough, a planner that
 * expects to find it soon would scan the table for each token that does not occur.
 */
const tokensInUse = `
  SELECT DISTINCT token::text AS token FROM unnest($3::text::bigint[]) AS token,
    LATERAL ${holders('account_id, namespace', 'token')} holder
  WHERE account_id = $1 AND namespace = $2`;

export const searchSql = { ...searchWith(noTagFilter), tokensInUse } as const;

/** The statements of a search whose vectors to compare are given. */
export const searchGiven = searchWith(noTagFilter, comparedGiven);

/** The statements of a search among the memories that pass a filter. */
export function searchWith(
  filter: TagFilterSql,
  comparison = compared(filter),
): { byVector: string; byBoth: string } {
  return { byVector: byVector(filter, comparison), byBoth: byBoth(filter, comparison) };
}
