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
  count<Name extends Of<'counter'>>(name: Name, labels: Labels<Name>): void;
  /** `value` in seconds */
  observe<Name extends Of<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void;
  /** `read` is called for each scrape, and returns the value of each combination of labels. */
  read<Name extends Of<'gauge'>>(
    name: Name,
    read: () => Promise<readonly { labels: Labels<Name>; value: number }[]>,
  ): void;
}
