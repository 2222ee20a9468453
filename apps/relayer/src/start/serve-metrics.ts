import type { FastifyInstance } from 'fastify';
import { createApp } from '../api/http/app.ts';
import type { Listener } from '../api/http/listener.ts';
import { route } from '../api/http/route.ts';
import { registerHttpMetrics } from '../api/metrics/http-metrics.ts';
import type { PrometheusMetrics } from '../api/metrics/prometheus.ts';
import { registerServerMetrics } from '../api/metrics/server-metrics.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';
import type { RelayerContext } from './context.ts';

/** Prometheus waits 10 s by default */
const sidecarMs = 3_000;

export interface ServeOptions {
  app: FastifyInstance;
  context: RelayerContext;
  config: Config;
  listener: Listener;
  /** Undefined without METRICS_PORT */
  prometheus: PrometheusMetrics | undefined;
}

/**
 * Records the requests of `app`, and serves `GET /metrics` on a separate port; nothing happens without METRICS_PORT. Call
 * it before the routes are registered.
 */
export async function serveMetrics(
  opened: CloseStack,
  { app, context, config, listener, prometheus: metrics }: ServeOptions,
): Promise<void> {
  if (config.metricsPort === undefined || !metrics) return;
  registerHttpMetrics(app, metrics);
  registerServerMetrics(metrics, context);
  let wasScraped = false;
  /** Empty if it does not answer, or was started by an operator without METRICS_PORT */
  const ofSidecar = async (): Promise<string> => {
    const text = await context.sidecar.metrics(sidecarMs).catch(() => '');
    wasScraped = text !== '';
    return text;
  };
  metrics.read('memrelay_sidecar_scraped', async () => [{ labels: {}, value: wasScraped ? 1 : 0 }]);
  const server = createApp({ log: context.loggers.http, allowedOrigins: [], hosts: listener.hosts });
  server.get('/metrics', route({ auth: 'none' }), async (_request, reply) => {
    // First, because a gauge says whether it answered
    const ofOther = await ofSidecar();
    return reply.type(metrics.contentType).send((await metrics.text()) + ofOther);
  });
  await server.listen({ port: config.metricsPort, host: config.listenHost });
  opened.push(() => server.close());
}
