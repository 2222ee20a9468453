import { type EmbeddingConfig, findLocalModel } from '@memrelay/dev-env/search-index';

/**
 * Embedders configured by the relayer's own variables, in addition to the lexical one: a model of `MEM_MODEL_DIR` with
 * `EMBEDDING_PROVIDER=local`, or a provider with `LLM_API_KEY`.
 */
export async function embeddingsFrom(environment: NodeJS.ProcessEnv): Promise<EmbeddingConfig[]> {
  const { EMBEDDING_PROVIDER: provider, MEM_MODEL_DIR: models, EMBEDDING_MODEL: named } = environment;
  const shared = {
    baseUrl: environment.LLM_API_BASE ?? 'https://api.openai.com/v1',
    model: named ?? environment.LLM_EMBEDDING_MODEL ?? 'text-embedding-3-small',
    dimension: Number(environment.EMBEDDING_DIM ?? 1536),
    cacheTtlSeconds: 0,
    allowMock: true,
    apiKey: undefined,
  };
  const lexical = { ...shared, dimension: 1536 };
  if (provider === 'local') {
    if (!models) throw new Error('EMBEDDING_PROVIDER=local needs MEM_MODEL_DIR');
    const local = await findLocalModel(models, named ?? 'e5-small-v2');
    return [lexical, { ...shared, provider, local }];
  }
  const apiKey = environment.LLM_API_KEY;
  return apiKey ? [lexical, { ...shared, apiKey }] : [lexical];
}
