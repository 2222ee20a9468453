import { type EmbeddingProvider, startEmbeddingProvider } from './embedding-provider.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { createTestBackend, type TestBackend } from './test-backend.ts';
import { startTestNetwork, type TestNetwork } from './test-network.ts';
import { startTestRelayer, type TestRelayer } from './test-relayer.ts';

export interface FaultyWorldOptions {
  /** Relayers on the same database, started at the same time */
  relayers?: number;
  /** Overrides the defaults */
  environment?: NodeJS.ProcessEnv;
}

/** Relayers whose embedding provider and publisher fail on demand. */
export interface FaultyWorld {
  network: TestNetwork;
  backend: TestBackend;
  provider: EmbeddingProvider;
  /** Proxy between the first relayer and the publisher */
  publisher: FaultProxy;
  /** The first of `relayers` */
  relayer: TestRelayer;
  relayers: readonly TestRelayer[];
  /** Ends all faults */
  heal(): void;
  close(): Promise<void>;
}

export async function startFaultyWorld(options: FaultyWorldOptions = {}): Promise<FaultyWorld> {
  const [network, backend, provider] = await Promise.all([
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
  ]);
  const publisher = await startFaultProxy(network.blobstoreUrl);
  const embedding = { LLM_API_KEY: 'test', LLM_API_BASE: provider.url };
  const relayers = await Promise.all(
    Array.from({ length: options.relayers ?? 1 }, (_, i) => {
      const STORE_PUBLISHER_URL = i === 0 ? publisher.url : network.blobstoreUrl;
      const environment = { ...embedding, STORE_PUBLISHER_URL, ...options.environment };
      return startTestRelayer(network, { ...backend, environment });
    }),
  );
  return {
    network,
    backend,
    provider,
    publisher,
    relayer: relayers[0]!,
    relayers,
    heal() {
      provider.fault = undefined;
      publisher.fault = undefined;
    },
    async close() {
      await Promise.all(relayers.map((relayer) => relayer.stop()));
      await Promise.all([publisher.close(), provider.close()]);
      await Promise.all([network.close(), backend.drop()]);
    },
  };
}
