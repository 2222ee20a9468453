import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/base/config/read-config.ts';
import { loadConfig } from '../../src/config/config.ts';

const enough: Environment = {
  DATABASE_URL: 'postgres://localhost/memrelay',
  MEM_PACKAGE_ID: `0x${'a'.repeat(64)}`,
  MEM_REGISTRY_ID: `0x${'b'.repeat(64)}`,
  SIDECAR_AUTH_TOKEN: 'a-token-of-16-up',
  MEM_SERVER_SECRET: '1'.repeat(64),
  MEM_INDEX_KEY: '2'.repeat(64),
  MEM_WRITER_KEYS: '3'.repeat(64),
};

async function configOf(more: Environment) {
  const { config } = await loadConfig({ ...enough, ...more });
  const { provider, apiKey, baseUrl, model, prefixes } = config.embedding;
  return { embedding: { provider, apiKey, baseUrl, model }, prefixes, chat: config.chat };
}

describe('the embedder and the chat model', () => {
  test('are built-in and off without a key and an address', async () => {
    const { embedding, chat } = await configOf({});
    expect(embedding.provider).toBe('built-in');
    expect(chat).toBeUndefined();
  });

  test('share key and address', async () => {
    const { embedding, chat } = await configOf({ LLM_API_KEY: 'k' });
    const baseUrl = 'https://api.openai.com/v1';
    expect(embedding).toEqual({ provider: 'http', apiKey: 'k', baseUrl, model: 'text-embedding-3-small' });
    expect(chat).toEqual({ apiKey: 'k', baseUrl, model: 'gpt-4o-mini' });
  });

  test('need no key at another address', async () => {
    const baseUrl = 'http://127.0.0.1:11434/v1';
    const { embedding, chat } = await configOf({
      LLM_API_BASE: baseUrl,
      EMBEDDING_MODEL: 'nomic-embed-text',
    });
    expect(embedding).toEqual({ provider: 'http', apiKey: undefined, baseUrl, model: 'nomic-embed-text' });
    expect(chat).toMatchObject({ apiKey: undefined, baseUrl });
  });

  test('can be apart: the key of one is never sent to the address of the other', async () => {
    const baseUrl = 'http://127.0.0.1:8080/v1';
    const { embedding, chat } = await configOf({ LLM_API_KEY: 'k', EMBEDDING_API_BASE: baseUrl });
    expect(embedding).toMatchObject({ apiKey: undefined, baseUrl });
    expect(chat).toMatchObject({ apiKey: 'k', baseUrl: 'https://api.openai.com/v1' });
    const keyed = await configOf({ EMBEDDING_API_KEY: 'e', LLM_API_BASE: 'http://127.0.0.1:1/v1' });
    expect(keyed.embedding).toMatchObject({ apiKey: 'e' });
    expect(keyed.chat).toMatchObject({ apiKey: undefined });
    expect((await configOf({ EMBEDDING_API_KEY: 'e' })).chat).toBeUndefined();
  });

  test('EMBEDDING_PROVIDER overrides a key, and EMBEDDING_MODEL the older name', async () => {
    const { embedding } = await configOf({ LLM_API_KEY: 'k', EMBEDDING_PROVIDER: 'built-in' });
    expect(embedding.provider).toBe('built-in');
    const named = await configOf({ LLM_API_KEY: 'k', LLM_EMBEDDING_MODEL: 'old', EMBEDDING_MODEL: 'new' });
    expect(named.embedding.model).toBe('new');
  });

  test('prefixes keep their final space', async () => {
    const { prefixes } = await configOf({
      EMBEDDING_QUERY_PREFIX: 'query: ',
      EMBEDDING_DOCUMENT_PREFIX: 'passage: ',
      EMBEDDING_QUERY_INPUT_TYPE: 'query',
      EMBEDDING_DOCUMENT_INPUT_TYPE: 'passage',
    });
    expect(prefixes).toEqual({
      queryPrefix: 'query: ',
      documentPrefix: 'passage: ',
      queryInputType: 'query',
      documentInputType: 'passage',
    });
  });

  test('a local model that is not installed ends the start with the command that installs it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'memrelay-models-'));
    const local = { EMBEDDING_PROVIDER: 'local' };
    try {
      await expect(configOf({ ...local, MEM_MODEL_DIR: directory })).rejects.toThrow(
        'npx memrelay model add e5-small-v2',
      );
      await expect(
        configOf({ ...local, MEM_DATA_DIR: directory, EMBEDDING_MODEL: 'all-minilm-l6-v2' }),
      ).rejects.toThrow(
        `${join(directory, 'models')}; install it with: npx memrelay model add all-minilm-l6-v2`,
      );
      await expect(configOf(local)).rejects.toThrow('MEM_MODEL_DIR');
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test('the name of a model cannot leave the model directory', async () => {
    await expect(
      configOf({ EMBEDDING_PROVIDER: 'local', MEM_MODEL_DIR: '/x', EMBEDDING_MODEL: '../../etc' }),
    ).rejects.toThrow('EMBEDDING_MODEL');
  });
});
