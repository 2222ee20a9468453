import type { VectorMap } from '@memrelay/text-index/vector-map';
import type { Db } from '../../base/db/db.ts';
import { relatedness } from '../../index/embedding/centers.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import { readProducts } from '../rows/center-rows.ts';
import type { Match } from '../rows/match.ts';
import type { SearchQuery } from '../rows/search-rows.ts';

/**
 * Adds to the matches how related they are to the question, for a model with centers (centers.ts). Only those above the
 * minimum similarity are looked up: the others are no hits by meaning.
 */
export async function withRelatedness(
  db: Db,
  query: Pick<SearchQuery, 'accountId' | 'model' | 'vector'>,
  matches: readonly Match[],
  embedder: Pick<Embedder, 'centers' | 'minScore' | 'model'>,
  map: Pick<VectorMap, 'apply'>,
): Promise<Match[]> {
  const { centers, minScore, model } = embedder;
  const isNear = ({ distance, stale }: Match): boolean => !stale && 1 - distance > minScore;
  const near = matches.filter(isNear);
  if (!centers || query.model !== model || near.length === 0) return [...matches];
  // The map keeps inner products
  const mapped = { questions: map.apply(centers.questions), texts: map.apply(centers.texts) };
  const ids = near.map(({ id }) => id);
  const products = await readProducts(db, query, mapped.questions, ids);
  return matches.map((match) => {
    const product = isNear(match) ? products.get(match.id) : undefined;
    if (product === undefined) return match;
    return { ...match, relatedness: relatedness(mapped, query.vector, 1 - match.distance, product) };
  });
}
