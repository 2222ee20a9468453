import { describe, expect, it } from 'vitest';
import { MemRelayError, NetworkError } from '../src/wire/errors.ts';
import { accountId, errorAnswer, rejection, startWire, testClient } from './wire-double.ts';

const accepted = { status: 202, json: { job_id: 'j1', status: 'running' } };

describe('a write whose connection drops', () => {
  it('is retried with the same idempotency key and body, and a new nonce and signature', async () => {
    await using wire = await startWire(['drop', 'drop', accepted]);
    expect(await testClient(wire.url).remember('t')).toEqual({ jobId: 'j1', status: 'running' });
    expect(wire.seen).toHaveLength(3);
    const different = (header: string) => new Set(wire.seen.map(({ headers }) => headers[header])).size;
    expect(different('idempotency-key')).toBe(1);
    expect(wire.seen[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(different('x-nonce')).toBe(3);
    expect(different('x-signature')).toBe(3);
    expect(different('x-request-id')).toBe(1);
    expect(new Set(wire.seen.map(({ body }) => body.toString())).size).toBe(1);
  });

  it("has a new key per call, or the caller's", async () => {
    await using wire = await startWire([accepted]);
    const client = testClient(wire.url);
    await client.remember('t');
    await client.remember('t');
    await client.remember('t', { idempotencyKey: 'mine' });
    await client.rememberManual({
      encryptedData: new Uint8Array([1]),
      vector: [1],
      idempotencyKey: 'm2',
      opaque: true,
    });
    const keys = wire.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys.slice(2)).toEqual(['mine', 'm2']);
    for (const idempotencyKey of ['', 'a b', 'ü', 'x'.repeat(129)])
      expect(await rejection(client.remember('t', { idempotencyKey }))).toMatchObject({
        code: 'invalid_argument',
      });
    expect(wire.seen).toHaveLength(4);
  });

  it('gives up after maxAttempts with a NetworkError that names the server', async () => {
    await using wire = await startWire(['drop']);
    const error = await rejection(testClient(wire.url, { maxAttempts: 3 }).remember('t'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'network_error', retryable: true, status: undefined });
    expect(error.message).toContain(wire.url);
    expect(wire.seen).toHaveLength(3);
    expect(error.requestId).toBe(wire.seen[0]!.headers['x-request-id']);
  });
});

it('reports why when nothing listens', async () => {
  const wire = await startWire([]);
  await wire[Symbol.asyncDispose]();
  const error = await rejection(testClient(wire.url, { maxAttempts: 1 }).account());
  expect(error).toMatchObject({ code: 'network_error' });
  expect(error.message).toContain('ECONNREFUSED');
});

describe('responses', () => {
  it.each([
    [429, 'rate_limited'],
    [503, 'overloaded'],
    [401, 'nonce_replayed'],
    [408, 'request_timeout'],
  ])('%i %s is retried', async (status, code) => {
    await using wire = await startWire([errorAnswer(status, code), { json: { owner: 'o' } }]);
    expect(await testClient(wire.url).account()).toEqual({ owner: 'o' });
    expect(wire.seen).toHaveLength(2);
  });

  it.each([
    [400, 'invalid_request'],
    [401, 'invalid_signature'],
    [403, 'insufficient_scope'],
    [409, 'idempotency_key_reused'],
    [500, 'internal_error'],
    [503, 'llm_not_configured'],
    [418, 'a_code_of_the_future'],
  ])('%i %s is not', async (status, code) => {
    await using wire = await startWire([errorAnswer(status, code, { 'x-request-id': 'req-7' })]);
    const error = await rejection(testClient(wire.url).remember('t'));
    expect(error).toBeInstanceOf(MemRelayError);
    expect(error).toMatchObject({ code, status, requestId: 'req-7', retryable: false });
    expect(error.message).toBe(`about ${code} [${code}, request req-7]`);
    expect(wire.seen).toHaveLength(1);
  });

  it('have the details of the relayer and a hint for an unknown key', async () => {
    await using wire = await startWire([
      {
        status: 400,
        json: { error: 'invalid_request', message: 'm', details: { issues: [{ path: 'text' }] } },
      },
      errorAnswer(401, 'unknown_delegate_key'),
    ]);
    const client = testClient(wire.url);
    const invalid = await rejection(client.remember(''));
    expect(invalid.details).toEqual({ issues: [{ path: 'text' }] });
    const unknown = await rejection(client.account());
    expect(unknown.message).toContain(client.publicKey);
    expect(unknown.message).toContain('Sign in again');
  });

  it('of a proxy are errors with their status; gateway errors are retried', async () => {
    await using wire = await startWire([
      { status: 502, text: '<html>' },
      { status: 404, text: '<html>' },
    ]);
    expect(await rejection(testClient(wire.url).account())).toMatchObject({
      code: 'invalid_response',
      status: 404,
    });
    expect(wire.seen).toHaveLength(2);
  });

  it('that are not JSON, or redirects, are rejected', async () => {
    await using wire = await startWire([
      { text: '<html>' },
      { text: 'null' },
      { status: 302, headers: { location: '/x' } },
    ]);
    const client = testClient(wire.url, { maxAttempts: 1 });
    for (let call = 0; call < 2; call++)
      expect(await rejection(client.health())).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(await rejection(client.account())).toMatchObject({ code: 'network_error' });
    expect(wire.seen).toHaveLength(3);
  });

  it('cannot break out of the message', async () => {
    await using wire = await startWire([
      { status: 400, json: { error: 'invalid_request', message: `\u001b[2J\n${'x'.repeat(9999)}` } },
    ]);
    const { message } = await rejection(testClient(wire.url).account());
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(700);
  });
});

describe('Retry-After', () => {
  it('is waited for', async () => {
    await using wire = await startWire([
      errorAnswer(503, 'overloaded', { 'retry-after': '1' }),
      { json: {} },
    ]);
    await testClient(wire.url).account();
    expect(wire.seen[1]!.at - wire.seen[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('may be a date', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString();
    await using wire = await startWire([
      errorAnswer(429, 'rate_limited', { 'retry-after': date }),
      { json: {} },
    ]);
    await testClient(wire.url).account();
    expect(wire.seen[1]!.at - wire.seen[0]!.at).toBeGreaterThan(800);
  });

  it('of a 429 is waited for as often as needed, and the write keeps its idempotency key', async () => {
    const refusals = Array.from({ length: 5 }, () =>
      errorAnswer(429, 'rate_limited', { 'retry-after': '0' }),
    );
    await using wire = await startWire([...refusals, { status: 202, json: { job_id: 'j1' } }]);
    const client = testClient(wire.url, { maxAttempts: 2 });
    expect((await client.remember('t')).jobId).toBe('j1');
    expect(wire.seen).toHaveLength(6);
    const sent = (name: string) => new Set(wire.seen.map(({ headers }) => headers[name]));
    expect([sent('idempotency-key').size, sent('x-nonce').size]).toEqual([1, 6]);
  });

  it('of a 429 is not waited for when retries are off, and not without end', async () => {
    await using wire = await startWire([errorAnswer(429, 'rate_limited', { 'retry-after': '0' })]);
    await rejection(testClient(wire.url, { maxAttempts: 1 }).account());
    expect(wire.seen).toHaveLength(1);
    const start = performance.now();
    await rejection(testClient(wire.url, { deadlineMs: 1_500 }).account());
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('beyond the deadline fails immediately and is reported to the caller', async () => {
    await using wire = await startWire([errorAnswer(429, 'rate_limited', { 'retry-after': '3600' })]);
    const start = performance.now();
    const error = await rejection(testClient(wire.url).account());
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 3_600_000 });
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(wire.seen).toHaveLength(1);
  });
});

describe('time', () => {
  it('of one attempt is limited; the next one may succeed', async () => {
    await using wire = await startWire(['silence', { json: { owner: 'o' } }]);
    expect(await testClient(wire.url, { timeoutMs: 200 }).account()).toEqual({ owner: 'o' });
  });

  it('of a response that stalls is limited', async () => {
    await using wire = await startWire([{ headers: { 'content-length': '100' }, text: '{' }]);
    const error = await rejection(testClient(wire.url, { timeoutMs: 200, maxAttempts: 1 }).account());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
  });

  it('can be unlimited', async () => {
    await using wire = await startWire([{ json: { owner: 'o' } }]);
    const unbounded = { timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY };
    expect(await testClient(wire.url, unbounded).account()).toEqual({ owner: 'o' });
  });

  it('of all attempts together is limited', async () => {
    await using wire = await startWire([errorAnswer(503, 'overloaded')]);
    const start = performance.now();
    const error = await rejection(testClient(wire.url, { deadlineMs: 1_500, maxAttempts: 1_000 }).account());
    expect(error).toMatchObject({ code: 'overloaded' });
    expect(performance.now() - start).toBeLessThan(4_000);
    expect(wire.seen.length).toBeGreaterThan(1);
    expect(wire.seen.length).toBeLessThan(8);
  });
});

describe('an abort by the caller', () => {
  it('before the call sends nothing', async () => {
    await using wire = await startWire([{ json: {} }]);
    const reason = new Error('changed my mind');
    expect(await rejection(testClient(wire.url).remember('t', { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    );
    expect(wire.seen).toHaveLength(0);
  });

  it('ends a running request', async () => {
    await using wire = await startWire(['silence']);
    const controller = new AbortController();
    const call = rejection(testClient(wire.url).recall('q', { signal: controller.signal }));
    await wire.requests(1);
    controller.abort();
    expect((await call).name).toBe('AbortError');
    expect(wire.seen).toHaveLength(1);
  });

  it('ends the wait between attempts', async () => {
    await using wire = await startWire([errorAnswer(503, 'overloaded', { 'retry-after': '50' })]);
    const start = performance.now();
    const call = rejection(testClient(wire.url).account({ signal: AbortSignal.timeout(300) }));
    expect((await call).name).toBe('TimeoutError');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe('a wrong local clock', () => {
  const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString();
  const refusal = (hours: number) => errorAnswer(401, 'timestamp_out_of_window', { date: hoursAhead(hours) });

  it('is corrected once from the Date header, also for later calls and without retries', async () => {
    await using wire = await startWire([refusal(-2), { json: {} }]);
    const client = testClient(wire.url, { maxAttempts: 1 });
    await client.account();
    await client.account();
    const offsets = wire.seen.map(({ headers }) => Number(headers['x-timestamp']) - Date.now() / 1000);
    expect(offsets[0]).toBeGreaterThan(-5);
    for (const offset of offsets.slice(1)) expect(Math.abs(offset + 7_200)).toBeLessThan(5);
    expect(wire.seen).toHaveLength(3);
  });

  it('is not corrected by more than a day, nor when the clocks agree', async () => {
    for (const hours of [30, 0]) {
      await using wire = await startWire([refusal(hours)]);
      const error = await rejection(testClient(wire.url).account());
      expect(error).toMatchObject({ code: 'timestamp_out_of_window' });
      expect(wire.seen).toHaveLength(1);
    }
  });

  it('cannot be moved further by a relayer that rejects repeatedly', async () => {
    await using wire = await startWire((_, number) => refusal(number * 10));
    const client = testClient(wire.url);
    for (let call = 0; call < 4; call++) await rejection(client.account());
    const furthest = Math.max(...wire.seen.map(({ headers }) => Number(headers['x-timestamp'])));
    expect(furthest - Date.now() / 1000).toBeLessThanOrEqual(24 * 3600);
  });
});

describe('the account of a response', () => {
  const other = `0x${'bb'.repeat(32)}`;

  it('must be ours, regardless of the status', async () => {
    for (const status of [200, 404]) {
      await using wire = await startWire([
        { status, headers: { 'x-account-id': other }, json: { error: 'e' } },
      ]);
      const error = await rejection(testClient(wire.url).recall('q'));
      expect(error).toMatchObject({ code: 'account_mismatch', retryable: false, status });
      expect(error.message).toContain(other);
      expect(wire.seen).toHaveLength(1);
    }
  });

  it('is compared without regard to case', async () => {
    await using wire = await startWire([
      { headers: { 'x-account-id': accountId.toUpperCase().replace('0X', '0x') }, json: { owner: 'o' } },
    ]);
    expect(await testClient(wire.url).account()).toEqual({ owner: 'o' });
  });
});
