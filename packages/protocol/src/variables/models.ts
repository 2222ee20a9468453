import type { VariableDeclarations } from './declaration.ts';

export const modelVariables = {
  LLM_API_KEY: {
    readBy: ['relayer'],
    form: { kind: 'secret', minLength: 1 },
    meaning:
      'key of the provider of embeddings and chat. Without a key, an address and a [local model](local-model.md), the localnet uses the built-in lexical embedder, and other networks answer `llm_not_configured`',
  },
  LLM_API_BASE: {
    readBy: ['relayer'],
    form: { kind: 'url' },
    shownDefault: '`https://api.openai.com/v1`',
    meaning:
      'any provider with the same API; if it is set, no key is needed ([Ollama, LM Studio, llama.cpp](local-model.md#ollama-lm-studio-llamacpp))',
  },
  EMBEDDING_PROVIDER: {
    readBy: ['relayer'],
    form: { kind: 'choice', values: ['http', 'local', 'built-in'] },
    shownDefault: '`http` with a key or an address, else `built-in`',
    meaning:
      '`local` embeds on this machine with an [installed model](local-model.md), `http` at a provider, `built-in` without a model',
  },
  EMBEDDING_MODEL: {
    readBy: ['relayer'],
    form: { kind: 'text', maxLength: 200 },
    shownDefault: '`e5-small-v2` with `local`, else `LLM_EMBEDDING_MODEL`',
    meaning: 'the embedding model',
  },
  EMBEDDING_API_BASE: {
    readBy: ['relayer'],
    form: { kind: 'url' },
    shownDefault: '`LLM_API_BASE`',
    meaning: 'another provider for embeddings than for chat. `LLM_API_KEY` is not sent there',
  },
  EMBEDDING_API_KEY: {
    readBy: ['relayer'],
    form: { kind: 'secret', minLength: 1 },
    shownDefault: '`LLM_API_KEY`, unless `EMBEDDING_API_BASE` is set',
    meaning: 'its key',
  },
  EMBEDDING_QUERY_PREFIX: {
    readBy: ['relayer'],
    form: { kind: 'text', maxLength: 200 },
    shownDefault: 'that of the local model, else none',
    meaning:
      'put before every question. A space at its end counts. Changing it has the same effect as changing the model',
  },
  EMBEDDING_DOCUMENT_PREFIX: {
    readBy: ['relayer'],
    form: { kind: 'text', maxLength: 200 },
    shownDefault: 'that of the local model, else none',
    meaning: 'the same before every text to store',
  },
  EMBEDDING_QUERY_INPUT_TYPE: {
    readBy: ['relayer'],
    form: { kind: 'text', maxLength: 50 },
    meaning: '`input_type` of questions, for providers that have it: `query`, `search_query`',
  },
  EMBEDDING_DOCUMENT_INPUT_TYPE: {
    readBy: ['relayer'],
    form: { kind: 'text', maxLength: 50 },
    meaning: '`input_type` of texts to store: `document`, `search_document`, `passage`',
  },
  MEM_MODEL_DIR: {
    readBy: ['relayer'],
    form: { kind: 'text' },
    shownDefault: '`models` in `MEM_DATA_DIR`',
    meaning: 'where local models are installed',
  },
  MEM_LOCAL_MODEL: {
    readBy: ['client'],
    form: { kind: 'text' },
    default: 'auto',
    meaning: 'read by `memrelay up`: `off`, or the [local model](local-model.md#install-it) to use',
  },
  LLM_EMBEDDING_MODEL: {
    readBy: ['relayer'],
    form: { kind: 'text' },
    default: 'text-embedding-3-small',
    meaning:
      'older name of `EMBEDDING_MODEL` for providers. Stored with every vector; search uses only vectors of this model. After a change the others are [re-embedded](recall.md#when-the-embedding-model-was-changed) while their owners read',
  },
  EMBEDDING_DIM: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 8, max: 16_000 },
    default: '1536',
    meaning:
      'numbers in a vector; a local model has its own. Changing it has the same effect as changing the model',
  },
  EMBEDDING_CACHE_TTL_SECS: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 86_400 },
    default: '600',
    meaning: 'how long the vector of a query is cached in memory; 0 disables the cache',
  },
  SEARCH_CACHE_MAX_BYTES: {
    readBy: ['relayer'],
    form: { kind: 'integer', min: 0, max: 68_719_476_736 },
    default: '134217728',
    meaning:
      'memory for the [index data of namespaces](recall.md#namespaces-in-memory) that are searched often, for each relayer; 0 searches the tables only',
  },
  MEM_ALLOW_MOCK_LLM: {
    readBy: ['relayer'],
    form: { kind: 'flag' },
    default: 'false',
    meaning:
      'allows the lexical embedder on networks other than the localnet, and analyze and ask without a model there',
  },
  LLM_CHAT_MODEL: {
    readBy: ['relayer'],
    form: { kind: 'text' },
    default: 'gpt-4o-mini',
    meaning:
      'the model of [analyze and ask](analyze-and-ask.md), from the same provider; it must support structured output',
  },
  MEM_BLIND_INDEX: {
    readBy: ['relayer'],
    form: { kind: 'switch' },
    default: 'on',
    meaning:
      '`off` disables the keyword index and removes the existing one: recall uses vectors only ([what the index reveals](security.md#words))',
  },
} as const satisfies VariableDeclarations;
