import type { FastifyInstance } from 'fastify';
import { createApp } from '../api/http/app.ts';
import type { Listener } from '../api/http/listener.ts';
import { route } from '../api/http/route.ts';
import { registerHttpMetrics } from '../api/metrics/http-metrics.ts';
import { createPrometheusMetrics } from '../api/metrics/prometheus.ts';
import { registerServerMetrics } from '../api/metrics/server-metrics.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';
import type { RelayerContext } from './context.ts';

/**
 * Records the requests of `app`, and serves `GET /metrics` on a separate port; nothing happens without METRICS_PORT. Call
 * it before the routes are registered.
 */
export async function serveMetrics(
  opened: CloseStack,
  options: { app: FastifyInstance; context: RelayerContext; config: Config; listener: Listener },
): Promise<void> {
  const { app, context, config, listener } = options;
  if (config.metricsPort === undefined) return;
  const metrics = createPrometheusMetrics();
  registerHttpMetrics(app, metrics);
  registerServerMetrics(metrics, context);
  const server = createApp({ log: context.loggers.http, allowedOrigins: [], hosts: listener.hosts });
  server.get('/metrics', route({ auth: 'none' }), async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  await server.listen({ port: config.metricsPort, host: config.listenHost });
  opened.push(() => server.close());
}
