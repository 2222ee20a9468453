import type { Embedder } from './embedder.ts';
import { createLexicalEmbedder } from './lexical-embedder.ts';
import { createProviderEmbedder } from './provider-embedder.ts';

export interface EmbeddingConfig {
  /** Undefined: uses the lexical embedder */
  apiKey: string | undefined;
  baseUrl: string;
  model: string;
  dimension: number;
  /** How long query vectors are cached, in seconds */
  cacheTtlSeconds: number;
  /** Whether the lexical embedder may be used outside localnet */
  allowMock: boolean;
}

/** `deriveKey` returns the account's key for the lexical embedder. */
export function createEmbedder(config: EmbeddingConfig, deriveKey: (accountId: Buffer) => Buffer): Embedder {
  const { apiKey, ...rest } = config;
  return apiKey
    ? createProviderEmbedder({ apiKey, ...rest })
    : createLexicalEmbedder(config.dimension, deriveKey);
}
