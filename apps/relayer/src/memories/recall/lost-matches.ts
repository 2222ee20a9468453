import type { RecallRequest } from '@memrelay/protocol/memories';
import type { Db } from '../../base/db/db.ts';
import { encodeVector } from '../../base/db/vector.ts';
import type { RelayerContext } from '../../context.ts';
import { normalize } from '../../index/embedding/embedder.ts';
import { tokenList } from '../../index/keyword-columns.ts';
import type { Question } from '../../index/keywords/question.ts';
import type { Match } from '../reading/match.ts';

/**
 * How many lost memories would be hits among the nearest if their blobs were there. They take no places, but the answer
 * counts them (`dropped_count`). `vector` is the query's own.
 */
export async function countLostMatches(
  context: Pick<RelayerContext, 'db' | 'embedder' | 'vectors'>,
  accountId: Buffer,
  { namespace, limit, min_score: least }: Pick<RecallRequest, 'namespace' | 'limit' | 'min_score'>,
  { vector, question }: { vector: Float32Array; question: Question<bigint> },
  found: readonly Pick<Match, 'distance'>[],
): Promise<number> {
  const mapped = context.vectors.mapOf(accountId).apply(normalize(vector.slice()));
  const { model, minScore } = context.embedder;
  const tokens = [...question.terms, ...question.related.map(({ term }) => term)];
  const lost = await lostMatches(context.db, {
    accountId,
    namespace,
    model,
    vector: mapped,
    tokens,
    minScore: least === undefined ? minScore : -1,
    limit,
  });
  const near = lost.filter((distance) => least === undefined || 1 - distance >= least);
  return amongNearest(
    found.map(({ distance }) => distance),
    near,
    limit,
  );
}

/** How many of `lost` are among the `limit` smallest of both; each in order, smallest first. */
export function amongNearest(found: readonly number[], lost: readonly number[], limit: number): number {
  let count = 0;
  while (count < lost.length) {
    const nearer = found.filter((distance) => distance <= lost[count]!).length;
    if (nearer + count >= limit) break;
    count += 1;
  }
  return count;
}

interface LostQuery {
  accountId: Buffer;
  namespace: string;
  model: string;
  vector: Float32Array;
  tokens: readonly bigint[];
  minScore: number;
  limit: number;
}

/** Distances of those that have one of the tokens or a similarity above `minScore`, smallest first. */
async function lostMatches(db: Db, query: LostQuery): Promise<number[]> {
  const { rows } = await db.query<{ distance: number }>(
    `SELECT distance FROM (
       SELECT memory_id, min(1 + (embedding <#> $4::vector)) AS distance FROM lost_vector
       WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3
       GROUP BY memory_id) AS lost
     WHERE 1 - distance > $6 OR EXISTS (
       SELECT 1 FROM memory
       WHERE account_id = $1 AND id = lost.memory_id AND tokens && $7::text::bigint[])
     ORDER BY distance LIMIT $5`,
    [
      query.accountId,
      query.namespace,
      query.model,
      encodeVector(query.vector),
      query.limit,
      query.minScore,
      tokenList(query.tokens),
    ],
  );
  return rows.map(({ distance }) => distance);
}
