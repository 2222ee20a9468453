import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricName, type Metrics, metricCatalogue } from '../../base/metrics/metrics.ts';

export interface PrometheusMetrics extends Metrics {
  contentType: string;
  /** All metrics in the text format of Prometheus. A gauge that cannot be read is left out. */
  text(): Promise<string>;
}

/** From 5 ms, a small database read, to 2 minutes, the longest model call */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** The metrics of the catalogue, and those of the process (memory, processor time, event loop, garbage collection). */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const options = (name: MetricName) => {
    const { help, labels } = metricCatalogue[name];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const counters = new Map<MetricName, Counter>();
  const histograms = new Map<MetricName, Histogram>();
  for (const [name, { type }] of Object.entries(metricCatalogue) as [MetricName, { type: string }][]) {
    if (type === 'counter') counters.set(name, new Counter(options(name)));
    if (type === 'histogram') histograms.set(name, new Histogram({ ...options(name), buckets }));
  }
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    count: (name, labels, by = 1) => counters.get(name)!.inc(labels, by),
    observe: (name, labels, value) => histograms.get(name)!.observe(labels, value),
    read(name, read) {
      new Gauge({
        ...options(name),
        async collect() {
          this.reset();
          const values = await read().catch(() => []);
          // A gauge without labels is 0 after a reset
          if (values.length === 0 && metricCatalogue[name].labels.length === 0) this.remove();
          for (const { labels, value } of values) this.set(labels, value);
        },
      });
    },
  };
}
