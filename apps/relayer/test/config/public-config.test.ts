import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { publicConfig } from '../../src/config/public-config.ts';
import { createEmbedder } from '../../src/index/embedding/create-embedder.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;

test('/config contains only the parts of the configuration that clients need', async () => {
  const secret = {
    DATABASE_URL: 'postgres://memrelay:db-password@db.example/memrelay',
    REDIS_URL: 'redis://:redis-password@redis.example',
    CHAIN_RPC_URL: 'https://node.example/v1/rpc-key',
    SIDECAR_AUTH_TOKEN: 'a-token-of-16-up',
    MEM_SERVER_SECRET: '1'.repeat(64),
    MEM_INDEX_KEY: '2'.repeat(64),
    MEM_WRITER_KEYS: '3'.repeat(64),
    SERVER_CHAIN_PRIVATE_KEY: '4'.repeat(64),
    LLM_API_KEY: 'sk-provider-key',
    ALERT_TO_SLACK: 'https://hooks.example/webhook-key',
  };
  const ids = { MEM_PACKAGE_ID: id('a'), MEM_REGISTRY_ID: id('b') };
  const { config } = await loadConfig({ ...secret, ...ids, CHAIN_NETWORK: 'testnet' });
  const server = { objectId: id('c'), weight: 1, publicKey: 'p', historical: false };
  const keyServers = {
    servers: [
      {
        ...server,
        aggregatorUrl: 'https://committee.example',
        apiKeyName: 'x-key',
        apiKey: 'key-server-key',
      },
    ],
    threshold: 1,
  } as unknown as KeyServersResponse;
  const embedder = createEmbedder(config.embedding, () => Buffer.alloc(32));
  const shown = publicConfig(config, keyServers, embedder);
  expect(shown).toEqual({
    packageId: id('a'),
    registryId: id('b'),
    network: 'testnet',
    suiRpcUrl: 'https://fullnode.testnet.sui.io:443',
    aggregatorUrl: 'https://aggregator.walrus-testnet.walrus.space',
    encServerConfigs: [{ objectId: id('c'), weight: 1, aggregatorUrl: 'https://committee.example' }],
    encThreshold: 1,
    embedding: { model: expect.any(String), dimension: 1536, min_score: expect.any(Number) },
    chatModel: true,
  });
  for (const [name, value] of Object.entries({ ...secret, apiKey: 'key-server-key' }))
    expect(JSON.stringify(shown), name).not.toContain(value);
});
