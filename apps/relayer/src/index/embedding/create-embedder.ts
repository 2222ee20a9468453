import type { ReportedTokens } from '../../base/provider/provider-client.ts';
import type { Embedder } from './embedder.ts';
import { createLexicalEmbedder } from './lexical-embedder.ts';
import type { LocalModel } from './local/local-model.ts';
import { createLocalEmbedder } from './local-embedder.ts';
import type { Prefixes } from './prefixes.ts';
import { createProviderEmbedder } from './provider-embedder.ts';

export interface EmbeddingConfig {
  /** `http`: an OpenAI-compatible provider. Default: `http` with an API key, else `built-in` */
  provider?: 'http' | 'local' | 'built-in' | undefined;
  apiKey: string | undefined;
  baseUrl: string;
  model: string;
  dimension: number;
  prefixes?: Prefixes | undefined;
  /** The installed model of `local` */
  local?: LocalModel | undefined;
  /** How long query vectors are cached, in seconds */
  cacheTtlSeconds: number;
  /** Called with the tokens that a provider reports */
  onTokens?: ((tokens: ReportedTokens) => void) | undefined;
  /** Whether the lexical embedder may be used outside localnet */
  allowMock: boolean;
}

/** `deriveKey` returns the account's key for the lexical embedder. */
export function createEmbedder(config: EmbeddingConfig, deriveKey: (accountId: Buffer) => Buffer): Embedder {
  const { provider = config.apiKey ? 'http' : 'built-in' } = config;
  if (provider === 'http') return createProviderEmbedder(config);
  if (provider === 'local' && config.local) return createLocalEmbedder(config.local, config.prefixes);
  return createLexicalEmbedder(config.dimension, deriveKey);
}
