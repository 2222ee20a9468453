import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createChainClient } from '@memrelay/chain/chain-client';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountDirectory } from '../../src/accounts/account-directory.ts';
import { createAccountDirectory } from '../../src/accounts/create-account-directory.ts';
import { createTableNonces } from '../../src/api/rows/table-nonces.ts';
import { silent, startAuthApp } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import {
  startTestNetwork,
  type TestAccount,
  type TestKey,
  type TestNetwork,
  testKey,
} from '../support/localnet-process.ts';
import { call, send, signedHeaders } from '../support/signed-request.ts';
import { testAudit } from '../support/test-audit.ts';

let network: TestNetwork;
let tables: TestDb;
let accounts: AccountDirectory;
let app: FastifyInstance;
let url: string;
let account: TestAccount;
let key: TestKey;
let other: TestKey;
const clock = { offsetMs: 0 };
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [network, tables] = await Promise.all([startTestNetwork(), databases.at(-1)!.create()]);
  accounts = createAccountDirectory({
    chain: createChainClient({ network: 'localnet', baseUrl: network.url }),
    packageId: network.info.packageId,
    db: tables.db,
    audit: testAudit,
    log: silent,
  });
  const nonces = createTableNonces({ db: tables.db, log: silent });
  const now = () => Date.now() + clock.offsetMs;
  ({ url, app } = await startAuthApp({
    accounts,
    nonces,
    bodyDeadlineMs: 2_000,
    failuresPerMinute: 10_000,
    now,
  }));
  closers.push(
    () => app.close(),
    () => accounts.close(),
    () => nonces.close(),
  );
  account = await network.account();
  key = testKey();
  other = testKey();
  await account.add(key);
  await account.add(other);
});
afterAll(async () => {
  for (const close of closers) await close();
  await Promise.all([network?.stop(), tables?.drop()]);
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Sends these bytes over a socket and returns the response, once its headers are complete. */
async function raw(text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
    if (received.includes('\r\n\r\n')) {
      resolve(received);
      socket.destroy();
    }
  });
  socket.on('error', reject);
  return promise;
}

function head(path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`POST ${path} HTTP/1.1`, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n`;
}

describe('a signed request', () => {
  it('is accepted with its account, and the response names it', async () => {
    const body = JSON.stringify({ text: 'grün' });
    const answer = await call(url, key, { body, accountId: account.id });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-account-id']).toBe(account.id);
    expect(answer.body).toEqual({
      account: account.id,
      key: key.publicKey,
      address: key.address,
      length: Buffer.byteLength(body),
      body: { text: 'grün' },
    });
  });

  it('may omit x-account-id', async () => {
    expect((await call(url, key)).headers['x-account-id']).toBe(account.id);
  });

  it('may write key, signature, nonce and account in upper case', async () => {
    const accountId = `0x${account.id.slice(2).toUpperCase()}`;
    const parts = { accountId, nonce: randomUUID().toUpperCase() };
    const headers = signedHeaders(key, parts);
    headers['x-public-key'] = headers['x-public-key']!.toUpperCase();
    headers['x-signature'] = headers['x-signature']!.toUpperCase();
    const answer = await send(url, headers, parts);
    expect(answer).toMatchObject({ status: 200, body: { key: key.publicKey, account: account.id } });
  });

  it('signs the query as it was sent', async () => {
    const path = '/echo?b=%41&a=1&&';
    expect((await call(url, key, { method: 'GET', path })).status).toBe(200);
    const headers = signedHeaders(key, { method: 'GET', path: '/echo?b=A&a=1' });
    expect((await send(url, headers, { method: 'GET', path })).body.error).toBe('invalid_signature');
  });

  it('gets the account in rejections too, once it is known', async () => {
    const answer = await call(url, key, { body: '{' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.headers['x-account-id']).toBe(account.id);
  });

  it('with bytes that are not UTF-8 is invalid, not misread', async () => {
    const answer = await call(url, key, { body: Buffer.from([0x22, 0xff, 0x22]) });
    expect(answer.body.error).toBe('invalid_request');
  });
});

describe('header format', () => {
  it.each(['x-public-key', 'x-signature', 'x-timestamp', 'x-nonce'])('%s missing', async (name) => {
    const headers = signedHeaders(key);
    delete headers[name];
    expect((await send(url, headers)).body).toMatchObject({
      error: 'missing_auth_header',
      details: { header: name },
    });
  });

  it.each([
    ['x-public-key', `0x${'ab'.repeat(32)}`],
    ['x-public-key', 'ab'.repeat(31)],
    ['x-public-key', 'zz'.repeat(32)],
    ['x-signature', 'ab'.repeat(63)],
    ['x-signature', 'ab'.repeat(65)],
    ['x-timestamp', '1e9'],
    ['x-timestamp', '-1'],
    ['x-timestamp', '1.5'],
    ['x-timestamp', '1234567890123'],
    ['x-nonce', 'f47ac10b-58cc-1372-a567-0e02b2c3d479'],
    ['x-nonce', 'f47ac10b-58cc-7372-a567-0e02b2c3d479'],
    ['x-nonce', 'f47ac10b-58cc-4372-c567-0e02b2c3d479'],
    ['x-nonce', 'f47ac10b58cc4372a5670e02b2c3d479'],
    ['x-nonce', '{f47ac10b-58cc-4372-a567-0e02b2c3d479}'],
    ['x-account-id', '0x1'],
    ['x-account-id', 'ab'.repeat(32)],
    ['x-account-id', ''],
  ])('rejects %s: "%s"', async (name, value) => {
    const answer = await call(url, key, {}, { [name]: value });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'invalid_auth_header', details: { header: name } },
    });
  });

  it.each([
    'x-public-key',
    'x-signature',
    'x-timestamp',
    'x-nonce',
    'x-account-id',
    'x-enc-session',
    'x-delegate-key',
  ])('rejects %s sent twice, even with the same value', async (name) => {
    const headers: Record<string, string> = {
      ...signedHeaders(key, { accountId: account.id }),
      'x-enc-session': 'a',
      'x-delegate-key': 'b',
    };
    const answer = await send(url, { ...headers, [name]: [headers[name]!, headers[name]!] });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_auth_header' } });
  });

  it('rejects a content encoding other than identity', async () => {
    expect(await call(url, key, {}, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type' },
    });
    expect((await call(url, key, {}, { 'content-encoding': 'Identity' })).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json-seq'])(
    'rejects %s',
    async (type) => {
      const answer = await call(url, key, { body: '{}' }, { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    },
  );
});

describe('timestamp', () => {
  it.each([
    [-300, 200],
    [300, 200],
    [-301, 401],
    [301, 401],
  ])('%i s away: %i', async (seconds, status) => {
    // No second may pass between signing and checking
    clock.offsetMs = 500 - (Date.now() % 1000);
    const answer = await call(url, key, { timestamp: nowSeconds() + seconds });
    clock.offsetMs = 0;
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.body.error).toBe('timestamp_out_of_window');
  });
});

describe('body', () => {
  it('is rejected by its announced length before any byte arrives', async () => {
    const answer = await raw(
      head('/small', { ...signedHeaders(key, { path: '/small' }), 'content-length': '1025' }),
    );
    expect(answer).toMatch(/^HTTP\/1.1 413/);
    expect(answer).toMatch(/connection: close/i);
  });

  it('is not read when an earlier check fails', async () => {
    const headers = { ...signedHeaders(key, { timestamp: 1 }), 'content-length': '1000' };
    const answer = await raw(head('/echo', headers));
    expect(answer).toMatch(/^HTTP\/1.1 401/);
  });

  it('without an announced length is cut off at the limit', async () => {
    const parts = { path: '/small', body: `"${'x'.repeat(2_000)}"` };
    expect(await call(url, key, parts, { 'transfer-encoding': 'chunked' })).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
  });

  it('that does not arrive in time gets request_timeout', async () => {
    const headers = { ...signedHeaders(key), 'content-type': 'application/json', 'content-length': '10' };
    const answer = await raw(`${head('/echo', headers)}{"a`);
    expect(answer).toMatch(/^HTTP\/1.1 408/);
    expect(answer).toContain('request_timeout');
  });

  it('may have 2 MiB on a route without its own limit, and not one byte more', async () => {
    const maximum = 2 * 1024 * 1024;
    const chunked = { 'transfer-encoding': 'chunked' };
    const body = JSON.stringify('x'.repeat(maximum - 2));
    for (const headers of [{}, chunked]) {
      const answer = await call(url, key, { body }, headers);
      expect(answer).toMatchObject({ status: 200, body: { length: maximum } });
    }
    const above = `${body} `;
    expect(await call(url, key, { body: above }, chunked)).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
    const headers = { ...signedHeaders(key, { body: above }), 'content-length': String(maximum + 1) };
    const announced = await raw(head('/echo', { ...headers, 'content-type': 'application/json' }));
    expect(announced).toMatch(/^HTTP\/1.1 413/);
    expect(announced).toContain('payload_too_large');
  });

  it('of exactly the maximum size is read', async () => {
    const body = JSON.stringify('x'.repeat(1_022));
    expect(body).toHaveLength(1_024);
    expect((await call(url, key, { path: '/small', body })).status).toBe(200);
  });
});

describe('signature', () => {
  const body = '{"text":"a memory"}';

  it.each<[string, Partial<Parameters<typeof signedHeaders>[1]>]>([
    ['one byte of the body', { body: '{"text":"a memorx"}' }],
    ['the method', { method: 'GET' }],
    ['the path', { path: '/write' }],
    ['the query', { path: '/echo?a=1' }],
    ['the account', { accountId: `0x${'11'.repeat(32)}` }],
  ])('over another value of %s is rejected', async (_name, other) => {
    const headers = signedHeaders(key, { body, ...other });
    delete headers['x-account-id'];
    expect(await send(url, headers, { body })).toMatchObject({
      status: 401,
      body: { error: 'invalid_signature' },
    });
  });

  it.each([
    ['a query that was not sent', '/echo?a=1', '/echo'],
    ['an empty query that was not sent', '/echo?', '/echo'],
    ['no query where one was sent', '/echo', '/echo?a=1'],
    ['another order of the query', '/echo?a=1&b=2', '/echo?b=2&a=1'],
    ['the start of the query', '/echo?a=1', '/echo?a=12'],
  ])('over %s is rejected', async (_name, path, sentPath) => {
    const headers = signedHeaders(key, { path, body });
    expect(await send(url, headers, { path: sentPath, body })).toMatchObject({
      status: 401,
      body: { error: 'invalid_signature' },
    });
    expect((await call(url, key, { path: sentPath, body })).status).toBe(200);
  });

  it.each([`${body} `, `\n${body}`, `\ufeff${body}`])(
    'over the body without white space around it is rejected',
    async (sent) => {
      expect((await send(url, signedHeaders(key, { body }), { body: sent })).body.error).toBe(
        'invalid_signature',
      );
    },
  );

  it('is bound to timestamp, nonce and account header', async () => {
    for (const change of [
      { 'x-timestamp': String(nowSeconds() - 7) },
      { 'x-nonce': randomUUID() },
      { 'x-account-id': account.id },
    ])
      expect((await call(url, key, {}, change)).body.error).toBe('invalid_signature');
  });

  it('of another key is rejected', async () => {
    expect((await call(url, testKey(), {}, { 'x-public-key': key.publicKey })).body.error).toBe(
      'invalid_signature',
    );
  });
});

describe('nonce', () => {
  it('is accepted once, in any letter case', async () => {
    const parts = { nonce: 'abcdefab-cdef-4abc-8def-abcdefabcdef' };
    expect((await call(url, key, parts)).status).toBe(200);
    expect((await call(url, key, parts)).body.error).toBe('nonce_replayed');
    expect((await call(url, key, { nonce: parts.nonce.toUpperCase() })).body.error).toBe('nonce_replayed');
    const headers = signedHeaders(key, parts);
    headers['x-public-key'] = headers['x-public-key']!.toUpperCase();
    expect((await send(url, headers)).body.error).toBe('nonce_replayed');
  });

  it('is accepted again from another key', async () => {
    const nonce = randomUUID();
    expect((await call(url, key, { nonce })).status).toBe(200);
    expect((await call(url, other, { nonce, accountId: account.id })).status).toBe(200);
  });

  it('is accepted once among many concurrent requests', async () => {
    const headers = signedHeaders(key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(url, headers)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'nonce_replayed')).toHaveLength(19);
  });

  it('of an unknown signer is not recorded', async () => {
    const count = async () => (await tables.db.query('SELECT 1 FROM nonce')).rows.length;
    const before = await count();
    expect((await call(url, testKey())).body.error).toBe('unknown_delegate_key');
    expect((await call(url, testKey(), { accountId: account.id })).body.error).toBe('unknown_delegate_key');
    expect(await count()).toBe(before);
  });
});
