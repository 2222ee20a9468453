import type { EmbeddingConfig } from '@memrelay/dev-env/search-index';

/** Embedders configured by the relayer's own variables; without `LLM_API_KEY` only the lexical embedder. */
export function embeddingsFrom(environment: NodeJS.ProcessEnv): EmbeddingConfig[] {
  const shared = {
    baseUrl: environment.LLM_API_BASE ?? 'https://api.openai.com/v1',
    model: environment.LLM_EMBEDDING_MODEL ?? 'text-embedding-3-small',
    dimension: Number(environment.EMBEDDING_DIM ?? 1536),
    cacheTtlSeconds: 0,
    allowMock: true,
  };
  const lexical = { ...shared, dimension: 1536, apiKey: undefined };
  const apiKey = environment.LLM_API_KEY;
  return apiKey ? [lexical, { ...shared, apiKey }] : [lexical];
}
