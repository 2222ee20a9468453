import { indexKey } from '@memrelay/envelope/at-rest';
import { lookupsOf, type Metrics, tokensOf } from '../base/metrics/metrics.ts';
import type { Config } from '../config/config.ts';
import { createAccountVectors } from '../index/embedding/account-vectors.ts';
import { createEmbedder } from '../index/embedding/create-embedder.ts';
import { checkVector, createRequireEmbedder } from '../index/embedding/embedder.ts';
import { createTextIndexer } from '../index/index-data.ts';
import { createBlindIndex } from '../index/keywords/blind-index.ts';
import { createQueryVectors } from '../memories/recall/query-vectors.ts';

/** The parts that turn texts and questions into vectors and keyword tokens, with keys derived from `MEM_INDEX_KEY`. */
export function createIndexParts(config: Config, metrics: Metrics) {
  const { indexKey: secret } = config.secrets;
  const keyFor = (purpose: 'lexical' | 'vector-map') => (accountId: Buffer) =>
    Buffer.from(indexKey(secret, purpose, accountId.toString('hex')));
  const embedder = createEmbedder(
    { ...config.embedding, onTokens: tokensOf(metrics, 'embedding') },
    keyFor('lexical'),
  );
  const vectors = createAccountVectors(embedder.dimension, keyFor('vector-map'));
  const blindIndex = createBlindIndex(secret, config.blindIndex);
  return {
    embedder,
    vectors,
    blindIndex,
    indexer: createTextIndexer({ embedder, vectors, blindIndex }),
    queryVectors: createQueryVectors(
      embedder,
      config.embedding.cacheTtlSeconds,
      lookupsOf(metrics, 'query_vector'),
    ),
    requireEmbedder: createRequireEmbedder(embedder, config),
    checkVector: (values: readonly number[]) => checkVector(values, embedder.dimension),
  };
}
