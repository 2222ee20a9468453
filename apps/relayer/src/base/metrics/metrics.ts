/**
 * Every metric of the relayer. Labels have few values, known in advance: never an account, a namespace, a key, an address
 * or a path as a client sent it. docs/metrics.md and the dashboard are compared with this list.
 */
export const metricCatalogue = {
  memrelay_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until the response was sent, by route, method and class of the status',
    labels: ['route', 'method', 'status'],
  },
  memrelay_http_stage_duration_seconds: {
    type: 'histogram',
    help: 'Stages of successful signed requests, as in Server-Timing',
    labels: ['stage'],
  },
  memrelay_http_errors_total: {
    type: 'counter',
    help: 'Error responses by code of the error catalogue',
    labels: ['code'],
  },
  memrelay_limit_refusals_total: {
    type: 'counter',
    help: 'Requests refused by a limit: key, owner, owner-hour, address or storage',
    labels: ['limit'],
  },
  memrelay_call_duration_seconds: {
    type: 'histogram',
    help: 'Calls of the relayer to the sidecar, chain, blob store and models, by outcome: ok, refused, error or aborted',
    labels: ['dependency', 'operation', 'outcome'],
  },
  memrelay_cache_requests_total: {
    type: 'counter',
    help: 'Lookups in a cache, by result: hit or miss',
    labels: ['cache', 'result'],
  },
  memrelay_model_tokens_total: {
    type: 'counter',
    help: 'Tokens that the model provider reports, by use (chat, embedding) and kind (prompt, completion)',
    labels: ['use', 'kind'],
  },
  memrelay_deprecated_uses_total: {
    type: 'counter',
    help: 'Requests that use something deprecated, as listed in GET /version',
    labels: ['surface'],
  },
  memrelay_job_stage_duration_seconds: {
    type: 'histogram',
    help: 'Batches of accepted memories in a stage of the pipeline: embedding or uploading',
    labels: ['stage'],
  },
  memrelay_webhook_deliveries_total: {
    type: 'counter',
    help: 'Attempts to deliver to a webhook, by result: delivered, retried (it will be) or failed (given up)',
    labels: ['result'],
  },
  memrelay_webhook_deliveries_waiting: {
    type: 'gauge',
    help: 'Deliveries to webhooks that wait for an attempt, of all relayers on the database',
    labels: [],
  },
  memrelay_oldest_webhook_delivery_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest delivery that waits, without those of webhooks that are failing',
    labels: [],
  },
  memrelay_wallet_uploads: {
    type: 'gauge',
    help: 'Uploads that a wallet of the server can pay for, at the last check; wallets are numbered by their addresses',
    labels: ['wallet', 'purpose'],
  },
  memrelay_sidecar_scraped: {
    type: 'gauge',
    help: 'Whether the metrics of the sidecar are in this answer: 1 or 0',
    labels: [],
  },
  memrelay_jobs_waiting: {
    type: 'gauge',
    help: 'Accepted memories that wait to be embedded or uploaded, of all relayers on the database',
    labels: [],
  },
  memrelay_oldest_job_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest accepted memory that is not done, of all relayers on the database',
    labels: [],
  },
  memrelay_dependency_up: {
    type: 'gauge',
    help: 'State of each check of GET /ready: 1 or 0',
    labels: ['dependency'],
  },
} as const satisfies Record<string, MetricDeclaration>;

export interface MetricDeclaration {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
}

export type MetricName = keyof typeof metricCatalogue;
type Of<Type extends MetricDeclaration['type']> = {
  [Name in MetricName]: (typeof metricCatalogue)[Name]['type'] extends Type ? Name : never;
}[MetricName];
type Labels<Name extends MetricName> = Record<(typeof metricCatalogue)[Name]['labels'][number], string>;

/** Records metrics; takes microseconds and never throws. */
export interface Metrics {
  /** Adds `by`, 1 by default */
  count<Name extends Of<'counter'>>(name: Name, labels: Labels<Name>, by?: number): void;
  /** `value` in seconds */
  observe<Name extends Of<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void;
  /** `read` is called for each scrape, and returns the value of each combination of labels. */
  read<Name extends Of<'gauge'>>(
    name: Name,
    read: () => Promise<readonly { labels: Labels<Name>; value: number }[]>,
  ): void;
}

/** Where METRICS_PORT is not set. */
export const noMetrics: Metrics = { count: () => undefined, observe: () => undefined, read: () => undefined };

/** Counts the lookups of a cache. */
export type CountLookup = (found: boolean) => void;

export function lookupsOf(
  metrics: Pick<Metrics, 'count'>,
  cache: 'account' | 'blob' | 'query_vector' | 'search',
): CountLookup {
  return (found) => metrics.count('memrelay_cache_requests_total', { cache, result: found ? 'hit' : 'miss' });
}

/** Counts the tokens that a model provider reports. */
export function tokensOf(metrics: Pick<Metrics, 'count'>, use: 'chat' | 'embedding') {
  return (tokens: { prompt_tokens?: number | undefined; completion_tokens?: number | undefined }): void => {
    for (const kind of ['prompt', 'completion'] as const) {
      const count = tokens[`${kind}_tokens`];
      if (count !== undefined) metrics.count('memrelay_model_tokens_total', { use, kind }, count);
    }
  };
}
