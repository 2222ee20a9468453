import type { FastifyInstance } from 'fastify';

/** `GET /status`: outside the concurrency limits, so that a busy store is not taken for a dead one. */
export function addGetStatus(app: FastifyInstance): void {
  app.route({ method: ['GET', 'HEAD'], url: '/status', handler: async () => 'OK' });
}
