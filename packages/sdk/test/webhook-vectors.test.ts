import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../src/webhooks.ts';
import { bundleClient } from './bundled-client.ts';

/**
 * `vectors/webhooks-v1.json` has deliveries and what every client must find. The Python client's tests read the same file.
 * `npx vitest run packages/sdk/test/webhook-vectors.test.ts -u` writes it.
 */

const at = 1_765_432_100;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newer = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const id = '3f2b8c1e-7a4d-4e9b-8f00-1234567890ab';
const body = JSON.stringify({
  id,
  type: 'memory.stored',
  timestamp: '2025-12-11T05:48:20.000Z',
  data: {
    account_id: `0x${'0a'.repeat(32)}`,
    namespace: 'Müller ☕',
    memory_ids: ['722fdc0e-7ca0-4868-9f2d-e284a9bf725c'],
  },
});

function sign(text: string, key = secret, seconds: number | string = at, of = id): string {
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(`${of}.${seconds}.${text}`).digest('base64')}`;
}

interface Case {
  name: string;
  secrets: string[];
  now: number;
  headers: Record<string, string>;
  body: string;
}

const headersOf = (signature: string, seconds: number | string = at, of = id) => ({
  'webhook-id': of,
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});
const caseOf = (name: string, change: Partial<Case> = {}): Case => ({
  name,
  secrets: [secret],
  now: at,
  headers: headersOf(sign(body)),
  body,
  ...change,
});

const cases: Case[] = [
  caseOf('valid'),
  caseOf('valid, 300 seconds later', { now: at + 300 }),
  caseOf('valid, 300 seconds earlier', { now: at - 300 }),
  caseOf('valid, one of two signatures', {
    headers: headersOf(`v1,${'A'.repeat(43)}= v1a,abc ${sign(body)}`),
  }),
  caseOf('valid, one of two secrets', { secrets: [newer, secret] }),
  caseOf('valid, a secret without its prefix', { secrets: [secret.slice(6)] }),
  caseOf('a replay, 301 seconds later', { now: at + 301 }),
  caseOf('from the future', { now: at - 301 }),
  caseOf('a replay with a newer time', { headers: headersOf(sign(body), at + 400), now: at + 400 }),
  caseOf('a changed body', { body: body.replace('stored', 'failed') }),
  caseOf('a body that was parsed and written again', { body: JSON.stringify(JSON.parse(body), null, 1) }),
  caseOf('another id', { headers: headersOf(sign(body), at, id.replace('3', '4')) }),
  caseOf('another secret', { secrets: [newer] }),
  caseOf('another version of the signature', { headers: headersOf(sign(body).replace('v1,', 'v2,')) }),
  caseOf('a signature that is no base64', { headers: headersOf('v1,ü') }),
  caseOf('no signature', { headers: { ...headersOf(''), 'webhook-signature': '' } }),
  caseOf('a time with a fraction', { headers: headersOf(sign(body, secret, `${at}.5`), `${at}.5`) }),
  caseOf('a time in hex', { headers: headersOf(sign(body, secret, '0x6939fda4'), '0x6939fda4') }),
  caseOf('no time', { headers: { 'webhook-id': id, 'webhook-signature': sign(body) } }),
  caseOf('a secret that is too short', { secrets: ['whsec_c2hvcnQ='] }),
  caseOf('a secret that is no base64', { secrets: ['whsec_not base64!'] }),
  caseOf('the example of the specification, whose body is no delivery', {
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    now: 1_614_265_330,
    headers: headersOf(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      1_614_265_330,
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
    ),
    body: '{"test": 2432232314}',
  }),
  caseOf('a signed body that is no JSON', { headers: headersOf(sign('hello')), body: 'hello' }),
];

function resultOf({ headers, body, secrets, now }: Case): string {
  try {
    verifyWebhook(headers, body, secrets, { now: now * 1000 });
    return 'valid';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

it('finds what the vectors say', async () => {
  const vectors = cases.map((each) => ({ ...each, result: resultOf(each) }));
  for (const { name, result } of vectors) expect(result === 'valid', name).toBe(name.startsWith('valid'));
  const codes = new Set(vectors.map(({ result }) => result));
  expect([...codes].sort()).toEqual([
    'invalid_body',
    'invalid_secret',
    'invalid_signature',
    'missing_header',
    'timestamp_out_of_tolerance',
    'valid',
  ]);
  await expect(`${JSON.stringify(vectors, null, 1)}\n`).toMatchFileSnapshot('../vectors/webhooks-v1.json');
});

it('reads the headers of fetch and of Node, in any case, and the body as text or bytes', () => {
  const headers = headersOf(sign(body));
  const now = at * 1000;
  const expected = JSON.parse(body);
  expect(verifyWebhook(new Headers(headers), body, secret, { now })).toEqual(expected);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key.toUpperCase(), [value]]),
  );
  expect(verifyWebhook(upper, Buffer.from(body), secret, { now })).toEqual(expected);
  expect(() => verifyWebhook({ ...headers, 'webhook-id': [id, id] }, body, secret, { now })).toThrow(
    'missing',
  );
  expect(() => verifyWebhook(headers, body, secret)).toThrow('300 seconds');
  expect(verifyWebhook(headers, body, secret, { now: now + 3_600_000, toleranceSeconds: 3_600 })).toEqual(
    expected,
  );
});

it('runs in pages and workers: it contains no node module, no zod and no client', async () => {
  await using bundled = await bundleClient('webhooks.ts');
  expect(bundled.modules.length).toBeGreaterThan(3);
  expect(bundled.modules.filter((id) => /node:|\/zod\/|@mysten|mem-relay/.test(id))).toEqual([]);
  const module = await import(bundled.file);
  const { headers, body } = cases[0]!;
  expect(module.verifyWebhook(headers, body, secret, { now: at * 1000 })).toEqual(JSON.parse(body));
});
