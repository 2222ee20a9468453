import { callNames, grpcMethod, type KnownService, storeOperation } from '@memrelay/process/call-names';
import { observeOutgoingCalls } from '@memrelay/process/outgoing-calls';
import type { Metrics } from '../base/metrics/metrics.ts';
import type { Config } from '../config/config.ts';

type Addresses = Pick<Config, 'sidecar' | 'chainRpcUrl' | 'aggregators' | 'chat' | 'embedding'>;

/** The services that a relayer calls. Calls to other addresses are not recorded. */
export function servicesOf(config: Addresses): KnownService[] {
  const { sidecar, chainRpcUrl, aggregators, chat, embedding } = config;
  const models = [chat?.baseUrl, embedding.baseUrl].filter((url) => url !== undefined);
  return [
    { dependency: 'sidecar', url: sidecar.url, operationOf: sidecarOperation },
    ...aggregators.urls.map((url) => ({ dependency: 'blob_store', url, operationOf: storeOperation })),
    ...models.map((url) => ({ dependency: 'model', url, operationOf: modelOperation })),
    { dependency: 'chain', url: chainRpcUrl, operationOf: grpcMethod },
  ];
}

/** Its paths are ours and contain no ids, except that requests to the tool server are relayed as the client wrote them. */
function sidecarOperation(_method: string, path: string): string {
  const isOurs = /^\/[a-z]+(?:[/-][a-z]+)*$/.test(path) && !path.startsWith('/api/');
  return isOurs ? path.slice(1) : 'tools';
}

function modelOperation(_method: string, path: string): string {
  if (path.endsWith('/embeddings')) return 'embeddings';
  return path.endsWith('/chat/completions') ? 'chat' : 'other';
}

/** Records the duration and outcome of every call to another service. Returns the function that ends it. */
export function recordCalls(config: Addresses, metrics: Metrics): () => void {
  return observeOutgoingCalls({
    nameOf: callNames(servicesOf(config)),
    begin: (call) => (outcome, seconds) =>
      metrics.observe('memrelay_call_duration_seconds', { ...call, outcome }, seconds),
  });
}
