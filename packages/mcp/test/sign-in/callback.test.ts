import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { freePorts } from '@memrelay/process/free-ports';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { isHelloOf } from '@memrelay/sdk/account/sign-in/callback-answer';
import { sealHandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { parseSignInFragment, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { pairingNonce } from '@memrelay/sdk/local-dashboard-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handOverCode } from '../../src/sign-in/hand-over-code.ts';
import { type SignIn, type SignInOptions, startSignIn } from '../../src/sign-in/start-sign-in.ts';

const origin = 'http://localhost:5173';
let directory: string;
let signIn: SignIn;
let asked: SignInRequest;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sign-in-'));
  await start({});
});
afterEach(async () => {
  signIn.cancel();
  await rm(directory, { recursive: true });
});

async function start(options: Partial<SignInOptions>): Promise<void> {
  // Nothing listens there, so opening an answer fails at the next step
  const [nowhere] = await freePorts(1);
  signIn = await startSignIn({
    webUrl: `${origin}/`,
    relayerUrl: `http://127.0.0.1:${nowhere}`,
    label: 'test tool',
    credentialsPath: join(directory, 'credentials.json'),
    dataDir: directory,
    ...options,
  });
  asked = parseSignInFragment(new URL(signIn.url).hash);
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { error?: string; message?: string; challenge?: string };
}

/** Raw, because `fetch` sets Host and Origin itself. Status 0 if nothing listens. */
function send(
  method: string,
  headers: Record<string, string> = {},
  body = '',
  path = '/callback',
): Promise<Answer> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port: asked.port,
        path,
        method,
        headers: { host: `127.0.0.1:${asked.port}`, 'content-length': Buffer.byteLength(body), ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
          }),
        );
      },
    );
    outgoing.on('error', () => resolve({ status: 0, headers: {}, body: {} }));
    outgoing.end(body);
  });
}

const fromPage = { origin, 'content-type': 'application/json' };
const bodyOf = (code: string): string => JSON.stringify({ code });
const id = (digit: string): string => `0x${digit.repeat(64)}`;

function sealedFor(request: SignInRequest): string {
  return sealHandOver(nodePrimitives, request, {
    privateKey: nodePrimitives.randomBytes(32),
    accountId: id('a'),
    walletAddress: id('b'),
    packageId: id('c'),
    scope: { perms: 3, all_namespaces: true, tags: [], min_epoch: 0n, expires_at_ms: 0n },
  });
}

describe('the link', () => {
  it('keeps everything in its fragment, and contains no secret', () => {
    const url = new URL(signIn.url);
    expect(`${url.origin}${url.pathname}`).toBe(`${origin}/connect/mcp`);
    expect(url.search).toBe('');
    expect(asked).toMatchObject({ label: 'test tool' });
    expect(url.hash).not.toContain('pairing');
    expect(signIn.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(300_000);
  });

  it('carries a pairing code only to the dashboard of this data directory', async () => {
    const token = 'd'.repeat(64);
    const dashboard = { url: 'http://127.0.0.1:5173', token };
    await writeSecretFile(join(directory, 'dashboard.json'), JSON.stringify(dashboard));
    const codeIn = async (webUrl: string): Promise<string | null> => {
      signIn.cancel();
      await start({ webUrl });
      return new URLSearchParams(new URL(signIn.url).hash.slice(1)).get('pairing');
    };
    expect(pairingNonce(token, (await codeIn(origin))!, signIn.expiresAt.getTime() - 1_000)).toHaveProperty(
      'nonce',
    );
    expect(await codeIn('http://localhost:5174')).toBeNull();
    expect(await codeIn('https://memory.example')).toBeNull();
  });

  it.each(['http://memory.example', 'ftp://127.0.0.1', 'javascript:alert(1)', ''])(
    'cannot be created for a page that an attacker on the network could replace: %s',
    async (webUrl) => {
      await expect(start({ webUrl })).rejects.toMatchObject({ code: 'insecure_web_url' });
    },
  );

  it('cannot be created with a label or relayer that pages reject', async () => {
    await expect(start({ label: 'x'.repeat(65) })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(start({ relayerUrl: 'file:///etc' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the callback', () => {
  it('confirms to the page that it listens, and allows a preflight access to this machine', async () => {
    const hello = await send('GET', { origin });
    expect(isHelloOf(asked, hello.body)).toBe(true);
    expect(hello.headers['access-control-allow-origin']).toBe(origin);
    const preflight = await send('OPTIONS', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-private-network': 'true',
      'access-control-allow-headers': 'content-type',
    });
    expect((await send('OPTIONS', { origin })).headers).not.toHaveProperty(
      'access-control-allow-private-network',
    );
  });

  it.each<[string, number, string, () => Promise<Answer>]>([
    ['another origin', 403, 'wrong_origin', () => post({ origin: 'https://evil.example' })],
    ['the same host on another port', 403, 'wrong_origin', () => post({ origin: 'http://localhost:5174' })],
    ['the other name of this machine', 403, 'wrong_origin', () => post({ origin: 'http://127.0.0.1:5173' })],
    ['a page without an origin', 403, 'wrong_origin', () => post({ origin: 'null' })],
    [
      'no origin',
      403,
      'wrong_origin',
      () => send('POST', { 'content-type': 'application/json' }, bodyOf('x')),
    ],
    ['a name that was rebound', 403, 'wrong_host', () => post({ host: `evil.example:${asked.port}` })],
    ['the name localhost', 403, 'wrong_host', () => post({ host: `localhost:${asked.port}` })],
    ['another type', 415, 'not_json', () => post({ 'content-type': 'text/plain' })],
    ['a form', 415, 'not_json', () => post({ 'content-type': 'application/x-www-form-urlencoded' })],
    ['more than 8 KiB', 413, 'too_large', () => post({}, bodyOf('x'.repeat(8_192)))],
    ['no JSON', 400, 'no_code', () => post({}, '{')],
    ['no code', 400, 'no_code', () => post({}, '{"code": 1}')],
    ['no sign-in code', 400, 'no_code', () => post({}, bodyOf('hello'))],
    [
      'another state',
      403,
      'wrong_state',
      () => post({}, bodyOf(sealedFor({ ...asked, state: new Uint8Array(32) }))),
    ],
    [
      'another label',
      403,
      'not_sealed_for_this',
      () => post({}, bodyOf(sealedFor({ ...asked, label: 'x' }))),
    ],
    ['another method', 405, 'method_not_allowed', () => send('PUT', fromPage, bodyOf('x'))],
    ['another path', 404, 'not_found', () => send('POST', fromPage, bodyOf('x'), '/')],
    [
      'a page that pretends to be a process',
      403,
      'wrong_origin',
      () => send('POST', fromPage, bodyOf('x'), '/code'),
    ],
    [
      'a page without an origin at the process door',
      403,
      'wrong_origin',
      () =>
        send(
          'POST',
          { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' },
          bodyOf('x'),
          '/code',
        ),
    ],
  ])('rejects %s with a reason', async (_, status, error, attempt) => {
    const answer = await attempt();
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.body.message).toMatch(/\.$/);
    if (error === 'wrong_origin')
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin', '*');
  });

  it('rejects a foreign preflight', async () => {
    const answer = await send('OPTIONS', {
      origin: 'https://evil.example',
      'access-control-request-private-network': 'true',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers).not.toHaveProperty('access-control-allow-private-network');
  });

  it('continues after any number of posts without a code for it, or from elsewhere', async () => {
    const refused: string[] = [];
    signIn.cancel();
    await start({ onRefused: (reason) => refused.push(reason) });
    const noise: (() => Promise<Answer>)[] = [
      () => post({ origin: 'https://evil.example' }, bodyOf(sealedFor(asked))),
      () => post({ origin: 'null' }, bodyOf(sealedFor(asked))),
      () => post({ host: `evil.example:${asked.port}` }, bodyOf(sealedFor(asked))),
      () => post({}, '{'),
      () => post({}, 'null'),
      () => post({}, '{"code": 1}'),
      () => post({ 'content-type': 'text/plain' }, bodyOf(sealedFor(asked))),
      () => post({}, bodyOf('x'.repeat(9_000))),
      () => send('POST', { 'content-type': 'application/json' }, bodyOf('x'), '/code'),
      () =>
        send(
          'POST',
          { 'content-type': 'application/json' },
          bodyOf(sealedFor({ ...asked, state: new Uint8Array(32) })),
          '/code',
        ),
    ];
    for (let i = 0; i < 20; i++)
      for (const answer of await Promise.all(noise.map((make) => make()))) {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
      }
    // The right answer gets as far as the relayer
    expect(await post({}, bodyOf(sealedFor(asked)))).toMatchObject({
      body: { error: 'relayer_unreachable' },
    });
    expect(refused).toEqual([]);
  });

  it('rejects a body that is announced as too large without reading it', async () => {
    const socket = connect(asked.port, '127.0.0.1');
    await once(socket, 'connect');
    // The body is never sent
    socket.write(
      `POST /callback HTTP/1.1\r\nhost: 127.0.0.1:${asked.port}\r\norigin: ${origin}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('413');
    await once(socket, 'close');
  });

  it('ends after five failed attempts', async () => {
    const refused: string[] = [];
    signIn.cancel();
    await start({ onRefused: (reason) => refused.push(reason) });
    for (let i = 0; i < 5; i++) expect((await post({}, bodyOf('hello'))).status).toBe(400);
    expect(refused).toHaveLength(5);
    await expect(signIn.done).rejects.toMatchObject({ code: 'too_many_tries' });
    expect((await post({}, bodyOf(sealedFor(asked)))).status).toBe(0);
  });

  it('closes idle connections, so that the page gets through', {
    timeout: 15_000,
  }, async () => {
    const silent = Array.from({ length: 32 }, () => connect(asked.port, '127.0.0.1'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const released = Promise.all(silent.map((socket) => once(socket.resume(), 'close')));
    expect((await send('GET', { origin })).status).toBe(0);
    await released;
    expect((await send('GET', { origin })).status).toBe(200);
  });

  it('ends when its time is up', async () => {
    signIn.cancel();
    await start({ validMs: 50 });
    await expect(signIn.done).rejects.toMatchObject({ code: 'expired' });
    expect((await post({}, bodyOf(sealedFor(asked)))).status).toBe(0);
  });

  it('saves only what the relayer confirms, and waits if it is unavailable', async () => {
    let answer = await post({}, bodyOf(sealedFor(asked)));
    for (let i = 0; i < 5; i++) answer = await post({}, bodyOf(sealedFor(asked)));
    expect(answer).toMatchObject({ status: 503, body: { error: 'relayer_unreachable' } });
    await expect(stat(join(directory, 'credentials.json'))).rejects.toThrow('ENOENT');
    expect(JSON.stringify(answer)).not.toContain('verifier');
  });

  it('ends when it is cancelled, also for a pasted code', async () => {
    const code = sealedFor(asked);
    await expect(handOverCode(code)).rejects.toMatchObject({ code: 'refused' });
    signIn.cancel();
    await expect(signIn.done).rejects.toMatchObject({ code: 'cancelled' });
    await expect(handOverCode(code)).rejects.toMatchObject({ code: 'nobody_waits' });
    await expect(handOverCode('mr1.x')).rejects.toMatchObject({ code: 'invalid_code' });
  });
});

function post(headers: Record<string, string>, body = bodyOf('x')): Promise<Answer> {
  return send('POST', { ...fromPage, ...headers }, body);
}
