import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { createStageTimes, registerStageTimes } from '../../src/base/logging/stage-times.ts';

let app: FastifyInstance;
afterEach(() => app?.close());

/** A scope that rejects the caller `stranger` before the routes, as the authentication does. */
async function open(): Promise<void> {
  app = Fastify();
  app.addHook('preValidation', async (request, reply) => {
    if (request.headers.from === 'stranger') return reply.code(401).send({});
  });
  registerStageTimes(app);
  app.get('/work', async (request) => {
    await request.stages.measure('search', () => Promise.resolve());
    return {};
  });
  app.get('/failing', async () => {
    throw new Error('no');
  });
  await app.ready();
}

it('reports the time of each stage, authentication first and the total last', async () => {
  await open();
  const { headers } = await app.inject('/work');
  expect(headers['server-timing']).toMatch(/^auth;dur=[\d.]+, search;dur=[\d.]+, total;dur=[\d.]+$/);
});

it('reports no times for a rejection or a failure', async () => {
  await open();
  const refused = await app.inject({ url: '/work', headers: { from: 'stranger' } });
  expect([refused.statusCode, refused.headers['server-timing']]).toEqual([401, undefined]);
  const failed = await app.inject('/failing');
  expect([failed.statusCode, failed.headers['server-timing']]).toEqual([500, undefined]);
});

it('counts a stage that is entered twice or throws', async () => {
  const stages = createStageTimes();
  stages.add('search', 1);
  stages.add('search', 2.5);
  expect(stages.header()).toBe('search;dur=3.50');
  await expect(stages.measure('open', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(stages.header()).toMatch(/^search;dur=3.50, open;dur=/);
});
