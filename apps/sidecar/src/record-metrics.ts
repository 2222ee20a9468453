import { callNames, grpcMethod, type KnownService, storeOperation } from '@memrelay/process/call-names';
import { observeOutgoingCalls } from '@memrelay/process/outgoing-calls';
import type { FastifyInstance } from 'fastify';
import type { PoolLoad, Prometheus } from './base/prometheus.ts';
import type { Config } from './config/config.ts';
import { onKeyServerCall } from './seal/key-server-calls.ts';

/** The services that the sidecar calls in its main thread. */
export function servicesOf({ chainRpcUrl, uploads, sponsor, tools }: Config): KnownService[] {
  const storeUrl = uploads.mode === 'publisher' ? uploads.publisherUrl : uploads.relayUrl;
  return [
    { dependency: 'sponsor', url: sponsor.apiUrl, operationOf: () => 'sponsor' },
    // Calls of the tools, such as api/recall: without the ids that may follow
    {
      dependency: 'relayer',
      url: tools.relayerUrl,
      operationOf: (_method, path) => path.split('/').slice(1, 3).join('/'),
    },
    { dependency: 'blob_store', url: storeUrl, operationOf: storeOperation },
    // On the embedded network it has the address of the sponsor, above its path
    { dependency: 'chain', url: chainRpcUrl, operationOf: grpcMethod },
  ];
}

/** Records calls to other services. Returns the function that ends it. */
export function recordCalls(prometheus: Prometheus, config: Config): () => void {
  const ends = [
    observeOutgoingCalls({
      nameOf: callNames(servicesOf(config)),
      begin: (call) => (outcome, seconds) => prometheus.call({ ...call, outcome }, seconds),
    }),
    onKeyServerCall(({ seconds, ...call }) =>
      prometheus.call({ dependency: 'key_server', ...call }, seconds),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Records requests and the load of the worker pools. */
export function recordRequests(
  app: FastifyInstance,
  prometheus: Prometheus,
  pools: Readonly<Record<string, { readonly load: PoolLoad }>>,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    prometheus.request(
      { route, status: `${Math.floor(reply.statusCode / 100)}xx` },
      reply.elapsedTime / 1000,
    );
  });
  prometheus.watchPools(
    Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, () => pool.load])),
  );
}
