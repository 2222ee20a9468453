import { join } from 'node:path';
import { defaultLocalModel, modelNamePattern } from '@memrelay/protocol/local-model';
import { ConfigError } from '../base/config/config-error.ts';
import type { Variables } from '../base/config/variables.ts';
import type { EmbeddingConfig } from '../index/embedding/create-embedder.ts';
import { findLocalModel, LocalModelError } from '../index/embedding/local/local-model.ts';
import type { ChatOptions } from '../language/llm/chat-client.ts';

const openAi = 'https://api.openai.com/v1';

/**
 * The embedder that the variables name: `EMBEDDING_PROVIDER`, else a provider if a key or an address is set, else the
 * built-in one. Throws `ConfigError` if a local model is not installed.
 */
export async function embeddingOf(values: Variables): Promise<EmbeddingConfig> {
  const own = values.EMBEDDING_API_KEY ?? values.EMBEDDING_API_BASE;
  const shared = values.LLM_API_KEY ?? values.LLM_API_BASE;
  const provider = values.EMBEDDING_PROVIDER ?? (own || shared ? 'http' : 'built-in');
  const named = values.EMBEDDING_MODEL;
  return {
    provider,
    // The key of the chat model goes only to the address that it was given for
    apiKey: values.EMBEDDING_API_KEY ?? (values.EMBEDDING_API_BASE ? undefined : values.LLM_API_KEY),
    baseUrl: values.EMBEDDING_API_BASE ?? values.LLM_API_BASE ?? openAi,
    model: named ?? values.LLM_EMBEDDING_MODEL,
    dimension: values.EMBEDDING_DIM,
    prefixes: {
      queryPrefix: values.EMBEDDING_QUERY_PREFIX,
      documentPrefix: values.EMBEDDING_DOCUMENT_PREFIX,
      queryInputType: values.EMBEDDING_QUERY_INPUT_TYPE,
      documentInputType: values.EMBEDDING_DOCUMENT_INPUT_TYPE,
    },
    local: provider === 'local' ? await localModelOf(values, named ?? defaultLocalModel) : undefined,
    cacheTtlSeconds: values.EMBEDDING_CACHE_TTL_SECS,
    allowMock: values.MEM_ALLOW_MOCK_LLM,
  };
}

async function localModelOf(values: Variables, name: string): Promise<EmbeddingConfig['local']> {
  const directory = values.MEM_MODEL_DIR ?? (values.MEM_DATA_DIR && join(values.MEM_DATA_DIR, 'models'));
  if (!directory)
    throw new ConfigError([
      'EMBEDDING_PROVIDER=local needs MEM_MODEL_DIR or MEM_DATA_DIR, where the model is',
    ]);
  if (!modelNamePattern.test(name))
    throw new ConfigError(['EMBEDDING_MODEL is not the name of a local model']);
  try {
    return await findLocalModel(directory, name);
  } catch (error) {
    if (error instanceof LocalModelError)
      throw new ConfigError([`EMBEDDING_PROVIDER=local: ${error.message}`]);
    throw error;
  }
}

/** The chat model; undefined without a key and without an address. */
export function chatOf(values: Variables): ChatOptions | undefined {
  if (!values.LLM_API_KEY && !values.LLM_API_BASE) return undefined;
  return {
    apiKey: values.LLM_API_KEY,
    baseUrl: values.LLM_API_BASE ?? openAi,
    model: values.LLM_CHAT_MODEL,
  };
}
