import type { RecallRequest } from '@memrelay/protocol/memories';
import { type Question, searchedTerms } from '@memrelay/text-index/question';
import type { Db } from '../../base/db/db.ts';
import type { AccountVectors } from '../../index/embedding/account-vectors.ts';
import { leastSimilarity } from '../../index/embedding/centers.ts';
import { type Embedder, normalize } from '../../index/embedding/embedder.ts';
import type { Match } from '../rows/match.ts';
import { lostMatches } from '../rows/search-rows.ts';

interface LostMatchParts {
  db: Db;
  embedder: Pick<Embedder, 'model' | 'minScore' | 'centers'>;
  vectors: AccountVectors;
}

/**
 * Counts the lost memories that would be among the nearest hits if their blobs existed. They take no places in the
 * results, but are counted in `dropped_count`. `vector` is the query's own.
 */
export async function countLostMatches(
  parts: LostMatchParts,
  accountId: Buffer,
  { namespace, limit, min_score: least }: Pick<RecallRequest, 'namespace' | 'limit' | 'min_score'>,
  { vector, question }: { vector: Float32Array; question: Question<bigint> },
  found: readonly Pick<Match, 'distance'>[],
): Promise<number> {
  const mapped = parts.vectors.mapOf(accountId).apply(normalize(vector.slice()));
  const { model, centers } = parts.embedder;
  const minScore = Math.max(
    parts.embedder.minScore,
    centers ? leastSimilarity(centers, normalize(vector.slice())) : -1,
  );
  const tokens = searchedTerms(question);
  const lost = await lostMatches(parts.db, {
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

/** How many of `lost` are among the `limit` smallest of both. Both are sorted, smallest first. */
export function amongNearest(found: readonly number[], lost: readonly number[], limit: number): number {
  let count = 0;
  while (count < lost.length) {
    const nearer = found.filter((distance) => distance <= lost[count]!).length;
    if (nearer + count >= limit) break;
    count += 1;
  }
  return count;
}
