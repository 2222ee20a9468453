import { b, k1, lengthOf } from '../keywords/bm25.ts';
import { successorOf } from './successors.ts';

/**
 * One statement for both legs of a search. Parameters: 1 account, 2 namespace, 3 embedding model, 4 vector, 5 candidates
 * of each leg, 6 whether pending memories count, 7 rows of the shortlist; with keywords 8 tokens, 9 texts in the
 * namespace, 10 their mean length.
 */

/**
 * A term that stands in this many texts is counted no further: how many there are is judged from the newest texts, and
 * they are not read for it. What has only such terms is found by its vector.
 */
export const commonFrom = 4_000;
const sampled = 400;
/** Texts that are read for all terms of a question; the rarest come first. */
const maxPostings = 6_000;

const isVisible = `(state = 'done' OR ($6 AND state = 'pending'))`;

const hidden = `
  hidden AS MATERIALIZED (
    SELECT array_agg(id) AS ids FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state IN ('pending', 'failed')
      AND NOT ($6 AND state = 'pending'))`;

const distanceTo = (embedding: string): string => `1 + (${embedding} <#> $4::vector)`;

const visibleVectors = `account_id = $1 AND namespace = $2 AND embedding_model = $3
  AND NOT coalesce(memory_id = ANY ((SELECT ids FROM hidden)::uuid[]), false)`;

/** Compares every vector. */
const exact = `
  SELECT memory_id, ${distanceTo('embedding')} AS distance FROM memory_vector WHERE ${visibleVectors}
    AND $7::int IS NOT NULL`;

/** Compares the sign bits of all, and the vectors of the best of those. */
const shortlist = `
  SELECT v.memory_id, ${distanceTo('v.embedding')} AS distance FROM (
    SELECT memory_id, chunk_no FROM memory_vector WHERE ${visibleVectors}
    ORDER BY code::"bit" <~> binary_quantize($4::vector) LIMIT $7) short
  JOIN memory_vector v ON v.account_id = $1 AND v.memory_id = short.memory_id AND v.chunk_no = short.chunk_no
    AND v.embedding_model = $3`;

/**
 * Distances are `1 − inner product` of unit vectors. A long memory counts by its best chunk. `OFFSET 0` keeps the
 * planner from carrying whole vectors into the grouping's sort, which then spills to disk (18 ms instead of 2 for
 * 1,000 rows).
 */
const near = (vectors: string): string => `
  near AS MATERIALIZED (
    SELECT memory_id AS id, min(distance) AS distance
    FROM (${vectors} OFFSET 0) candidate
    GROUP BY memory_id ORDER BY distance, memory_id LIMIT $5)`;

/**
 * Memories with a term. Tokens of two namespaces are never the same, so the index on them alone leads to the right
 * ones; `OFFSET 0` keeps the planner from taking the namespace's index instead, which it thinks small.
 */
const holders = (columns: string, token: string): string => `
  (SELECT ${columns} FROM memory WHERE tokens @> ARRAY[${token}] OFFSET 0)`;

const terms = `
  counted AS MATERIALIZED (
    SELECT no, token, (
      SELECT count(*)::int FROM (
        SELECT 1 FROM ${holders('account_id, namespace', 'token')} holder
        WHERE account_id = $1 AND namespace = $2 LIMIT ${commonFrom}) held) AS documents
    FROM unnest($8::text::bigint[]) WITH ORDINALITY AS asked (token, no)),
  newest AS MATERIALIZED (
    SELECT tokens FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state <> 'failed' AND tokens IS NOT NULL
      AND EXISTS (SELECT 1 FROM counted WHERE documents = ${commonFrom})
    ORDER BY created_at DESC, id DESC LIMIT ${sampled}),
  term AS MATERIALIZED (
    SELECT no, token, documents < ${commonFrom} AS rare, CASE WHEN documents < ${commonFrom} THEN documents ELSE greatest(documents,
      (SELECT $9::float8 * count(*) FILTER (WHERE token = ANY (tokens)) / greatest(count(*), 1) FROM newest))::int
    END AS documents
    FROM counted)`;

/** As `termWeight` and `coverage` (bm25.ts), for terms that are read: enough to choose the candidates. */
const weight = `ln(1 + (greatest($9::float8, documents) - documents + 0.5) / (documents + 0.5))`;
const dampened = `${k1} * (1 - ${b} + ${b} * ${lengthOf(0)} * 2 ^ length_bucket / $10::float8)`;
const steps = (token: string): string => `(${token} = ANY (tokens))::int
  + coalesce(${token} = ANY (tokens_twice), false)::int + coalesce(${token} = ANY (tokens_often), false)::int`;

const found = `
  read AS MATERIALIZED (
    SELECT token, ${weight} AS weight FROM (
      SELECT *, sum(documents) OVER (ORDER BY documents, no) AS postings FROM term WHERE rare AND documents > 0) rising
    WHERE postings <= ${maxPostings}),
  found AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, weight, ${steps('token')} AS times, ${dampened} AS dampened
      FROM read, LATERAL ${holders('*', 'read.token')} holder
      WHERE account_id = $1 AND namespace = $2 AND ${isVisible}) posting
    GROUP BY id ORDER BY sum(weight * times / (times + dampened)) DESC, id LIMIT $5)`;

const columns = `m.id, m.state, m.blob_id, m.envelope_id, m.envelope_sha256, m.importance, m.created_at,
  ${successorOf('m', '$6')} AS superseded_by`;

const byVector = (vectors: string): string => `
  WITH ${hidden}, ${near(vectors)}
  SELECT ${columns}, near.distance, true AS near
  FROM near JOIN memory m ON m.account_id = $1 AND m.id = near.id
  ORDER BY near.distance, m.id`;

/** What was found by its words alone gets its distance too; without a vector of this model it has none to tell. */
const byBoth = (vectors: string): string => `
  WITH ${hidden}, ${near(vectors)}, ${terms}, ${found},
  candidate AS (
    SELECT id, distance, true AS near FROM near
    UNION ALL
    SELECT id, (
      SELECT min(${distanceTo('embedding')}) FROM memory_vector
      WHERE account_id = $1 AND memory_id = found.id AND embedding_model = $3), false
    FROM found WHERE id NOT IN (SELECT id FROM near))
  SELECT ${columns}, candidate.distance, candidate.near, m.length_bucket,
    (SELECT array_agg(coalesce(${steps('term.token')}, 0) ORDER BY term.no) FROM term) AS steps,
    (SELECT array_agg(documents ORDER BY no) FROM term) AS documents
  FROM candidate JOIN memory m ON m.account_id = $1 AND m.id = candidate.id
  WHERE candidate.distance IS NOT NULL
  ORDER BY candidate.distance, m.id`;

export const searchSql = {
  exact: { byVector: byVector(exact), byBoth: byBoth(exact) },
  shortlist: { byVector: byVector(shortlist), byBoth: byBoth(shortlist) },
} as const;
