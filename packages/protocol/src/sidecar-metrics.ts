/**
 * The metrics of the sidecar, which has no port of its own for them: the relayer adds them to its own for each scrape. Labels
 * have few values, known in advance.
 */
export const sidecarMetrics = {
  memrelay_sidecar_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until the sidecar has answered, by route and class of the status',
    labels: ['route', 'status'],
  },
  memrelay_sidecar_call_duration_seconds: {
    type: 'histogram',
    help: 'Calls of the sidecar to the chain, key servers, blob store, sponsor and (for tools) relayer',
    labels: ['dependency', 'operation', 'outcome'],
  },
  memrelay_sidecar_pool_threads: {
    type: 'gauge',
    help: 'Threads of a worker pool that are running now',
    labels: ['pool'],
  },
  memrelay_sidecar_pool_waiting: {
    type: 'gauge',
    help: 'Tasks that wait for a thread of a worker pool',
    labels: ['pool'],
  },
} as const;
