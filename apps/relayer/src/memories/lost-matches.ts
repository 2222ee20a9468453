import type { RecallRequest } from '@memrelay/protocol/memories';
import type { RelayerContext } from '../context.ts';
import type { Db } from '../db/db.ts';
import { encodeVector } from '../db/vector.ts';
import { normalize } from '../embedding/embedder.ts';
import type { Match } from './search.ts';

/**
 * How many lost memories would stand among the nearest, if their blobs were there: they take no places, but whoever asks
 * is told (`dropped_count`). `vector` is the query's own.
 */
export async function countLostMatches(
  context: Pick<RelayerContext, 'db' | 'embedder' | 'vectors'>,
  accountId: Buffer,
  { namespace, limit, min_score: least }: Pick<RecallRequest, 'namespace' | 'limit' | 'min_score'>,
  vector: Float32Array,
  found: readonly Pick<Match, 'distance'>[],
): Promise<number> {
  const mapped = context.vectors.mapOf(accountId).apply(normalize(vector.slice()));
  const { model } = context.embedder;
  const lost = await lostDistances(context.db, { accountId, namespace, model, vector: mapped, limit });
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

async function lostDistances(
  db: Db,
  query: { accountId: Buffer; namespace: string; model: string; vector: Float32Array; limit: number },
): Promise<number[]> {
  const { rows } = await db.query<{ distance: number }>(
    `SELECT min(1 + (embedding <#> $4::vector)) AS distance FROM lost_vector
     WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3
     GROUP BY memory_id ORDER BY 1 LIMIT $5`,
    [query.accountId, query.namespace, query.model, encodeVector(query.vector), query.limit],
  );
  return rows.map(({ distance }) => distance);
}
