import type { Embedder } from './embedder.ts';
import { createLexicalEmbedder } from './lexical-embedder.ts';
import { createProviderEmbedder } from './provider-embedder.ts';

export interface EmbeddingConfig {
  /** Absent: the lexical embedder */
  apiKey: string | undefined;
  baseUrl: string;
  model: string;
  dimension: number;
  /** Seconds that query vectors are remembered */
  cacheTtlSeconds: number;
  /** Whether the lexical embedder may serve outside the localnet */
  allowMock: boolean;
}

/** `deriveKey`: the account's own key for the lexical embedder. */
export function createEmbedder(config: EmbeddingConfig, deriveKey: (accountId: Buffer) => Buffer): Embedder {
  const { apiKey, ...rest } = config;
  return apiKey
    ? createProviderEmbedder({ apiKey, ...rest })
    : createLexicalEmbedder(config.dimension, deriveKey);
}
