import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { errorHandler } from '../../src/api/http/error-replies.ts';
import { inPieces, jsonPieces } from '../../src/api/http/json-pieces.ts';
import { route } from '../../src/api/http/route.ts';
import { createInFlight, type InFlight, type InFlightOptions } from '../../src/api/limits/in-flight.ts';
import { createRequestBounds, registerRequestBounds } from '../../src/api/limits/request-bounds.ts';
import { silent } from '../support/auth-app.ts';

const mib = 1024 * 1024;
const sockets: Socket[] = [];
const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const app of apps.splice(0)) await app.close();
});

/** The account is a header here: identifying the caller is up to the authentication. */
function newApp(): FastifyInstance {
  const app = Fastify();
  app.decorateRequest('caller', {
    getter(this) {
      return { account: { accountId: String(this.headers['x-account']) } } as never;
    },
  });
  app.decorateRequest('rawBody', { getter: () => Buffer.alloc(100) });
  app.setErrorHandler(errorHandler(silent));
  apps.push(app);
  return app;
}

/** Responses of this size, counted against a limit of 16 MiB by default. `work` decides when they end. */
async function start(answerBytes: number, options: InFlightOptions = {}, bound = 16 * mib) {
  const app = newApp();
  const inFlight = createInFlight(bound, options);
  const begun: string[] = [];
  let most = 0;
  const ends: (() => void)[] = [];
  const work = { blocked: false };
  app.get('/answer', async (request, reply) =>
    inFlight.run(request, reply, answerBytes, async () => {
      begun.push(String(request.headers['x-account']));
      most = Math.max(most, inFlight.state.inUse);
      if (work.blocked) await new Promise<void>((resolve) => void ends.push(resolve));
      const answer = {
        results: Array.from({ length: answerBytes / 1024 }, () => 'x'.repeat(1021)),
        total: 1,
      };
      return inPieces(reply, answer, 'results', answerBytes);
    }),
  );
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const get = (account: string) =>
    fetch(`${url}/answer`, { headers: { 'x-account': account } }).then(async (answer) => ({
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: (await answer.json()) as { results: string[]; total: number; error?: string },
    }));
  /** Sends a request and reads none of the response */
  const slow = async (account: string): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET /answer HTTP/1.1\r\nhost: localhost\r\nx-account: ${account}\r\n\r\n`);
    return socket;
  };
  return { inFlight, begun, get, slow, work, ends, most: () => most };
}
const waiting = (inFlight: InFlight) => expect.poll(() => inFlight.state.waiting, { timeout: 10_000 });
const inUse = (inFlight: InFlight) => expect.poll(() => inFlight.state.inUse, { timeout: 10_000 });

describe('concurrent requests', () => {
  test('of one account use at most a quarter of the bytes, and another account is served immediately', async () => {
    const { inFlight, begun, get, work, ends, most } = await start(2 * mib);
    work.blocked = true;
    const ofOne = Array.from({ length: 24 }, () => get('a'));
    await waiting(inFlight).toBe(22);
    expect(inFlight.state.inUse).toBe(4 * mib);
    const another = get('b');
    await expect.poll(() => begun, { timeout: 10_000 }).toEqual(['a', 'a', 'b']);
    work.blocked = false;
    for (const end of ends) end();
    const answers = await Promise.all([...ofOne, another]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(most()).toBeLessThanOrEqual(6 * mib);
    await inUse(inFlight).toBe(0);
  });

  test('hold their bytes until the client has read the response, and leave room for others', async () => {
    // More than the buffers of both sockets can hold
    const { inFlight, get, slow } = await start(16 * mib, {}, 64 * mib);
    const reader = await slow('a');
    await inUse(inFlight).toBe(16 * mib);
    const second = get('a');
    await waiting(inFlight).toBe(1);
    for (const other of ['b', 'c', 'd']) expect((await get(other)).body.results).toHaveLength(16_384);
    expect(inFlight.state).toEqual({ inUse: 16 * mib, waiting: 1 });
    reader.destroy();
    expect((await second).status).toBe(200);
    await inUse(inFlight).toBe(0);
  });

  test('leave the queue with their client, and hold bytes until an abandoned request has finished its work', async () => {
    const { inFlight, begun, slow, work, ends } = await start(4 * mib);
    work.blocked = true;
    const first = await slow('a');
    await inUse(inFlight).toBe(4 * mib);
    const second = await slow('a');
    await waiting(inFlight).toBe(1);
    second.destroy();
    await waiting(inFlight).toBe(0);
    first.destroy();
    await slow('a');
    await waiting(inFlight).toBe(1);
    expect(inFlight.state.inUse).toBe(4 * mib);
    work.blocked = false;
    ends[0]!();
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(2);
  });

  test('get 503 with Retry-After if they wait too long, or the queue is full', async () => {
    const { inFlight, get, work, ends } = await start(4 * mib, { waitMs: 200, maxWaitingBytes: 64 * 1024 });
    work.blocked = true;
    const first = get('a');
    await inUse(inFlight).toBe(4 * mib);
    const others = await Promise.all(Array.from({ length: 8 }, () => get('a')));
    for (const { status, retryAfter, body } of others) {
      expect(status).toBe(503);
      expect(body.error).toBe('overloaded');
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    for (const end of ends) end();
    expect((await first).status).toBe(200);
  });
});

describe('short requests', () => {
  test('are counted until their response: 64 of one account at a time, while others are served', async () => {
    const app = newApp();
    const bounds = createRequestBounds();
    const blocked: (() => void)[] = [];
    await app.register(async (signed) => {
      registerRequestBounds(signed, bounds);
      signed.get('/held', async () => {
        await new Promise<void>((resolve) => void blocked.push(resolve));
        return {};
      });
      signed.get('/short', async () => ({}));
      signed.get('/fails', async () => {
        throw new Error('failed');
      });
      signed.get('/own', route({ auth: 'signature', scope: [], cost: 1, ownBound: true }), async () => ({}));
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const get = async (path: string, account: string) =>
      (await fetch(url + path, { headers: { 'x-account': account } })).status;
    const all = Array.from({ length: 100 }, () => get('/held', 'a'));
    await expect.poll(() => bounds.requests.state, { timeout: 10_000 }).toEqual({ inUse: 64, waiting: 36 });
    expect(await Promise.all(Array.from({ length: 26 }, () => get('/short', 'b')))).toEqual(
      Array(26).fill(200),
    );
    expect(await get('/own', 'a')).toBe(200);
    expect(await get('/fails', 'b')).toBe(500);
    for (let served = 0; served < 100; served++) {
      await expect.poll(() => blocked.length, { timeout: 10_000 }).toBeGreaterThan(0);
      blocked.shift()!();
    }
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    await expect.poll(() => bounds.requests.state, { timeout: 10_000 }).toEqual({ inUse: 0, waiting: 0 });
  });
});

test.each<[object]>([
  [{ results: [], total: 0 }],
  [{ results: [{ text: 'a "quote" \u2028 ü' }, { text: 'x'.repeat(200_000) }, {}], total: 3, mock: true }],
  [{ results: ['alone'] }],
])('writes JSON in pieces that equal the JSON of the whole', (answer) => {
  expect(JSON.parse([...jsonPieces(answer as { results: unknown[] }, 'results')].join(''))).toEqual(answer);
});
