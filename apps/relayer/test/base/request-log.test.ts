import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '../../src/api/http/app.ts';
import { loggersOn } from '../../src/base/logging/loggers.ts';
import { startStageLoop } from '../../src/jobs/queue/stage-loop.ts';
import { loopbackHosts } from '../support/loopback-hosts.ts';

interface Line {
  msg: string;
  request_id?: string;
}
const lines: Line[] = [];
const { http, memories, jobs } = loggersOn({ write: (line) => void lines.push(JSON.parse(line)) }, 'info');
const queue: string[] = [];
const events = new EventEmitter();
const loop = startStageLoop<string>({
  concurrency: 1,
  batchSize: 1,
  pollMs: 60_000,
  claim: async (limit) => queue.splice(0, limit),
  async run() {
    jobs.info('a job');
    events.emit('ran');
  },
  onError: (error) => jobs.error(error),
});

let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  app = createApp({ log: http, allowedOrigins: [], hosts: loopbackHosts });
  app.addContentTypeParser('application/json', async (request: { raw: AsyncIterable<Buffer> }) => {
    for await (const _part of request.raw) memories.info('while the body comes');
    return {};
  });
  app.addHook('preValidation', async () => memories.info('in a hook'));
  app.post('/works', async () => {
    memories.info('at the beginning');
    await Promise.all([setImmediate(), setImmediate()]);
    memories.warn('after waiting');
    const ran = once(events, 'ran');
    queue.push('a job');
    loop.wake();
    await ran;
    return {};
  });
  // Like a socket that was opened for a request and stays open
  app.post('/leaves-something', async () => {
    const later = once(events, 'later');
    void later.then(() => memories.info('long after'));
    return {};
  });
  app.post('/refused', async () => {
    throw new ApiError('overloaded');
  });
  app.post('/fails', async () => {
    throw new Error('unforeseen');
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await loop.stop(1_000);
  await app.close();
});
beforeEach(() => {
  lines.length = 0;
});

async function post(path: string, id: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-request-id': id };
  await (await fetch(url + path, { method: 'POST', body: '{}', headers })).text();
}
/** The lines of requests, by id, once each request has its last one. */
async function linesOf(...ids: string[]): Promise<string[][]> {
  await expect
    .poll(() => ids.every((id) => lines.some((line) => line.msg === 'request' && line.request_id === id)))
    .toBe(true);
  return ids.map((id) => lines.filter(({ request_id }) => request_id === id).map(({ msg }) => msg));
}

const whole = ['while the body comes', 'in a hook', 'at the beginning', 'after waiting', 'request'];

test('has the request id in every line, even for concurrent requests', async () => {
  await Promise.all([post('/works', 'one'), post('/works', 'two'), post('/works', 'three')]);
  expect(await linesOf('one', 'two', 'three')).toEqual([whole, whole, whole]);
});

test('has no request id in lines of a job, whichever request woke its worker', async () => {
  await post('/works', 'waker');
  expect(lines.filter(({ msg }) => msg === 'a job')).toEqual([
    expect.not.objectContaining({ request_id: 'waker' }),
  ]);
});

test.each(['/refused', '/fails'])('has the request id in the line about %s', async (path) => {
  await post(path, 'failing');
  expect((await linesOf('failing'))[0]!.length).toBe(4);
});

test('has no request id in work that continues after the response', async () => {
  await post('/leaves-something', 'over');
  await linesOf('over');
  events.emit('later');
  await expect.poll(() => lines.find(({ msg }) => msg === 'long after')).toBeDefined();
  expect(lines.find(({ msg }) => msg === 'long after')).not.toHaveProperty('request_id');
});
