import { sidecarMetrics } from '@memrelay/protocol/sidecar-metrics';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Threads of a worker pool and the tasks that wait for them, now. */
export interface PoolLoad {
  threads: number;
  waiting: number;
}

/** The metrics of the sidecar, which the relayer reads for each scrape. */
export interface Prometheus {
  request(labels: { route: string; status: string }, seconds: number): void;
  call(labels: { dependency: string; operation: string; outcome: string }, seconds: number): void;
  watchPools(loads: Readonly<Record<string, () => PoolLoad>>): void;
  text(): Promise<string>;
}

/** From 1 ms, opening an envelope, to 2 minutes, the longest upload */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** Loaded only where metrics are recorded (METRICS_PORT). */
export function createPrometheus(): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'memrelay_sidecar_' });
  const options = <Name extends keyof typeof sidecarMetrics>(name: Name) => {
    const { help, labels } = sidecarMetrics[name];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const requests = new Histogram({ ...options('memrelay_sidecar_request_duration_seconds'), buckets });
  const calls = new Histogram({ ...options('memrelay_sidecar_call_duration_seconds'), buckets });
  return {
    request: (labels, seconds) => requests.observe(labels, seconds),
    call: (labels, seconds) => calls.observe(labels, seconds),
    watchPools(loads) {
      for (const [name, value] of [
        ['memrelay_sidecar_pool_threads', 'threads'],
        ['memrelay_sidecar_pool_waiting', 'waiting'],
      ] as const)
        new Gauge({
          ...options(name),
          collect() {
            for (const [pool, load] of Object.entries(loads)) this.set({ pool }, load()[value]);
          },
        });
    },
    text: () => registry.metrics(),
  };
}
