import type { PublicConfig } from '@memrelay/protocol/service-info';
import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Embedder } from '../index/embedding/embedder.ts';
import type { Config } from './config.ts';

/** The public part of the configuration: the response of `GET /config`. */
export function publicConfig(
  config: Config,
  keyServers: KeyServersResponse,
  embedder: Embedder,
): PublicConfig {
  return {
    packageId: config.packageId,
    registryId: config.registryId,
    network: config.network,
    suiRpcUrl: config.publicChainRpcUrl,
    aggregatorUrl: config.aggregators.urls[0]!,
    encServerConfigs: keyServers.servers.map(({ objectId, weight, aggregatorUrl }) => ({
      objectId,
      weight,
      ...(aggregatorUrl ? { aggregatorUrl } : {}),
    })),
    encThreshold: keyServers.threshold,
    embedding: { model: embedder.name, dimension: embedder.dimension, min_score: embedder.minScore },
    chatModel: config.chat !== undefined,
  };
}
