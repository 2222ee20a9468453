import type { Db } from '../db/db.ts';
import { encodeVector } from '../db/vector.ts';
import { successorOf } from './successors.ts';

/** A memory that matches, nearest first. */
export interface Match {
  id: string;
  distance: number;
  state: 'pending' | 'done';
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  importance: number;
  createdAt: Date;
  /** The memory that replaces it, if one does */
  supersededBy?: string | undefined;
}

export interface SearchQuery {
  accountId: Buffer;
  namespace: string;
  model: string;
  /** Unit vector, already through the account's map */
  vector: Float32Array;
  limit: number;
  includePending: boolean;
}

/** From this many vectors in a namespace the sign bits make a shortlist first (design.md, "Index"). */
const exactUpTo = 4_000;
/**
 * Rows of the shortlist that are compared exactly. 100 found all of the nearest ten in every measured set (20,000
 * random, 10,000 synthetic and 2,000 real sentences), eight a hit all but one in 300 of the nearest fifty.
 */
const shortlist = (limit: number): number => Math.max(200, limit * 8);

/**
 * Distances are `1 − inner product` of unit vectors. A long memory counts by its best chunk. `OFFSET 0` keeps the
 * planner from carrying whole vectors into the grouping's sort, which then spills to disk (18 ms instead of 2 for
 * 1,000 rows).
 */
const ranked = (candidates: string): string => `
  WITH hidden AS MATERIALIZED (
    SELECT array_agg(id) AS ids FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state <> 'done' AND NOT ($6 AND state = 'pending')),
  best AS (
    SELECT memory_id, min(distance) AS distance
    FROM (${candidates} OFFSET 0) candidate
    GROUP BY memory_id ORDER BY distance, memory_id LIMIT $5)
  SELECT m.id, best.distance, m.state, m.blob_id, m.envelope_id, m.envelope_sha256, m.importance, m.created_at,
    ${successorOf('m', '$6')} AS superseded_by
  FROM best JOIN memory m ON m.account_id = $1 AND m.id = best.memory_id
  ORDER BY best.distance, m.id`;

const distanceTo = (embedding: string): string => `1 + (${embedding} <#> $4::vector) AS distance`;

const visible = `account_id = $1 AND namespace = $2 AND embedding_model = $3
  AND NOT coalesce(memory_id = ANY ((SELECT ids FROM hidden)::uuid[]), false)`;

const exactSearch = ranked(`
  SELECT memory_id, ${distanceTo('embedding')} FROM memory_vector WHERE ${visible}`);

const shortlistSearch = ranked(`
  SELECT v.memory_id, ${distanceTo('v.embedding')} FROM (
    SELECT memory_id, chunk_no FROM memory_vector WHERE ${visible}
    ORDER BY code::"bit" <~> binary_quantize($4::vector) LIMIT $7) short
  JOIN memory_vector v ON v.account_id = $1 AND v.memory_id = short.memory_id AND v.chunk_no = short.chunk_no
    AND v.embedding_model = $3`);

interface MatchRow {
  id: string;
  distance: number;
  state: Match['state'];
  blob_id: string | null;
  envelope_id: Buffer | null;
  envelope_sha256: Buffer;
  importance: number;
  created_at: Date;
  superseded_by: string | null;
}

/** The nearest memories of one namespace of one account, at most `limit`. */
export async function searchMemories(db: Db, query: SearchQuery, vectorCount: number): Promise<Match[]> {
  const parameters = [
    query.accountId,
    query.namespace,
    query.model,
    encodeVector(query.vector),
    query.limit,
    query.includePending,
  ];
  const { rows } =
    vectorCount <= exactUpTo
      ? await db.query<MatchRow>(exactSearch, parameters)
      : await db.query<MatchRow>(shortlistSearch, [...parameters, shortlist(query.limit)]);
  return rows.map((row) => ({
    id: row.id,
    distance: row.distance,
    state: row.state,
    blobId: row.blob_id ?? undefined,
    envelopeId: row.envelope_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    importance: row.importance,
    createdAt: row.created_at,
    supersededBy: row.superseded_by ?? undefined,
  }));
}

/** Vectors of one namespace, which decides how to search it. */
export async function countVectors(
  db: Db,
  accountId: Buffer,
  namespace: string,
  model: string,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM memory_vector WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3 LIMIT ${exactUpTo + 1}
     ) counted`,
    [accountId, namespace, model],
  );
  return rows[0]!.count;
}
