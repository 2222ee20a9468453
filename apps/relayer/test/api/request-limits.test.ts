import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { createApp } from '../../src/api/http/app.ts';
import { route } from '../../src/api/http/route.ts';
import { createMemoryBuckets } from '../../src/api/limits/memory-buckets.ts';
import { createRequestLimits, type RequestLimitUnits } from '../../src/api/limits/request-limits.ts';
import { silent } from '../support/auth-app.ts';
import { loopbackHosts } from '../support/loopback-hosts.ts';

const standard: RequestLimitUnits = { keyPerMinute: 300, ownerPerMinute: 600, ownerPerHour: 20_000 };
const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

/** Routes of several weights; the key and its owner are in headers instead of a signature. */
function limited(units: Partial<RequestLimitUnits> = {}) {
  const clock = { ms: 0 };
  const limits = createRequestLimits(
    { ...standard, ...units },
    createMemoryBuckets(() => clock.ms),
  );
  const app = createApp({ log: silent, allowedOrigins: [], hosts: loopbackHosts });
  apps.push(app);
  app.decorateRequest('caller', {
    getter() {
      const { key, owner } = this.headers;
      return { publicKey: key, account: { owner } } as unknown as Caller;
    },
  });
  app.addHook('preValidation', (request, reply) => limits.take(request.caller, request, reply));
  for (const cost of [0, 1, 2, 3, 5, 10])
    app.post(`/cost/${cost}`, route({ auth: 'signature', scope: [], cost }), async () => ({}));
  app.post<{ Params: { facts: string } }>(
    '/facts/:facts',
    route({ auth: 'signature', scope: [], cost: 5, costPerFact: 1 }),
    async (request) => {
      await limits.takeFacts(request, Number(request.params.facts));
      return {};
    },
  );
  async function send(path: string, { key = 'key-1', owner = 'owner-1' } = {}) {
    const headers = { host: '127.0.0.1', key, owner };
    const { statusCode, headers: sent, json } = await app.inject({ method: 'POST', url: path, headers });
    return { status: statusCode, headers: sent, body: json<Record<string, unknown>>() };
  }
  /** How many of the requests are served */
  async function served(requests: number, path: string, from: { key?: string; owner?: string } = {}) {
    const answers = await Promise.all(Array.from({ length: requests }, () => send(path, from)));
    return answers.filter(({ status }) => status === 200).length;
  }
  return { send, served, clock };
}

describe('limits on weighted requests', () => {
  test('tell a client what they are, what is left, and when it is full again', async () => {
    const { send, clock } = limited();
    expect((await send('/cost/5')).headers).toMatchObject({
      'ratelimit-policy': '"key";q=300;w=60, "owner";q=600;w=60, "owner-hour";q=20000;w=3600',
      ratelimit: '"key";r=295;t=1, "owner";r=595;t=1, "owner-hour";r=19995;t=1',
    });
    for (let i = 0; i < 10; i++) await send('/cost/10');
    expect((await send('/cost/1')).headers.ratelimit).toBe(
      '"key";r=194;t=22, "owner";r=494;t=11, "owner-hour";r=19894;t=20',
    );
    clock.ms += 10_000;
    expect((await send('/cost/1')).headers.ratelimit).toBe(
      '"key";r=243;t=12, "owner";r=593;t=1, "owner-hour";r=19948;t=10',
    );
  });

  test.each([
    ['/cost/1', 300],
    ['/cost/2', 150],
    ['/cost/3', 100],
    ['/cost/5', 60],
    ['/cost/10', 30],
  ])('weigh a request of %s', async (path, expected) => {
    const { served } = limited();
    expect(await served(400, path)).toBe(expected);
  });

  test('refuse with the limit, its size and the time to wait, and accept after that time', async () => {
    const { send, served, clock } = limited();
    expect(await served(40, '/cost/10')).toBe(30);
    const { status, headers, body } = await send('/cost/10');
    expect({ status, wait: headers['retry-after'], left: headers.ratelimit }).toEqual({
      status: 429,
      wait: '2',
      left: '"key";r=0;t=60, "owner";r=300;t=30, "owner-hour";r=19700;t=54',
    });
    expect(body).toEqual({
      error: 'rate_limited',
      message: 'Too many requests. Wait for the time in Retry-After.',
      request_id: headers['x-request-id'],
      details: { limit: 'key', units: 300, window_seconds: 60, cost: 10 },
    });
    clock.ms += 1_999;
    expect((await send('/cost/10')).status).toBe(429);
    clock.ms += 1;
    expect((await send('/cost/10')).status).toBe(200);
  });

  test('a refusal by one limit takes nothing from the others', async () => {
    const { served } = limited();
    expect(await served(1_000, '/cost/1', { key: 'a' })).toBe(300);
    // The owner still has what the refused 700 would have taken
    expect(await served(1_000, '/cost/1', { key: 'b' })).toBe(300);
    expect(await served(1_000, '/cost/1', { key: 'c' })).toBe(0);
  });

  test('name the limit of the hour when it is the one that is spent', async () => {
    const { send, served, clock } = limited({ keyPerMinute: Infinity, ownerPerHour: 1_000 });
    expect(await served(60, '/cost/10')).toBe(60);
    clock.ms += 60_000;
    // 1,000 a hour refill 16 a minute
    expect(await served(60, '/cost/10')).toBe(41);
    const { status, headers, body } = await send('/cost/10');
    expect([status, headers['retry-after'], body.details]).toEqual([
      429,
      '12',
      { limit: 'owner-hour', units: 1_000, window_seconds: 3_600, cost: 10 },
    ]);
  });

  test('leave polling alone: it takes nothing, and continues when the budget is spent', async () => {
    const { send, served } = limited();
    expect(await served(500, '/cost/0')).toBe(500);
    expect(await served(500, '/cost/1')).toBe(300);
    const { status, headers } = await send('/cost/0');
    expect([status, headers.ratelimit]).toEqual([200, undefined]);
  });

  test('take a unit for each stored fact, even more than is left', async () => {
    const { send, served, clock } = limited();
    expect((await send('/facts/40')).status).toBe(200);
    expect((await send('/cost/1')).headers.ratelimit).toContain('"key";r=254;');
    expect((await send('/facts/350')).status).toBe(200);
    // 101 units of debt, and one more for this request
    expect((await send('/cost/1')).headers['retry-after']).toBe('21');
    clock.ms += 21_000;
    expect(await served(400, '/cost/1')).toBe(4);
  });

  test('can be switched off one by one', async () => {
    const all = Object.keys(standard) as (keyof RequestLimitUnits)[];
    for (const off of all) {
      const { send } = limited({ [off]: Infinity });
      const policies = String((await send('/cost/1')).headers['ratelimit-policy']).split(', ');
      expect(policies).toHaveLength(2);
    }
    const { send, served } = limited(Object.fromEntries(all.map((name) => [name, Infinity])));
    expect(await served(1_000, '/cost/10')).toBe(1_000);
    const { headers } = await send('/cost/10');
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });

  test('an owner at ten times its limit takes nothing from another', async () => {
    const { served } = limited({ keyPerMinute: Infinity });
    const [greedy, modest] = await Promise.all([
      served(6_000, '/cost/1', { owner: 'greedy' }),
      served(600, '/cost/1', { owner: 'modest' }),
    ]);
    expect({ greedy, modest }).toEqual({ greedy: 600, modest: 600 });
  });
});
