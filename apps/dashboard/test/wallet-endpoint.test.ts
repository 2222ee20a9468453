import { generateKeyPairSync, sign } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { newPairingCode } from '@memrelay/sdk/local-dashboard-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page, Pages } from '../src/node-pages.ts';
import { type Dashboard, startDashboard } from '../src/node-server.ts';
import { browserProofMessage } from '../src/wallet/browser-proof.ts';
import { walletPaths } from '../src/wallet/wallet-api.ts';

const startToken = '5'.repeat(64);
const validCode = (token = startToken): string => newPairingCode(token, new Date(Date.now() + 60_000));
const page = { type: 'text/html', body: Buffer.from('<!doctype html>') };
const pages: Pages = new Map<string, Page>([
  ['home.html', page],
  ['connect-mcp.html', page],
  ['connect-oauth.html', page],
  ['assets/page.js', { type: 'text/javascript', body: gzipSync('start();'), isGzip: true }],
]);
/** Without a wallet and a relayer, a request that passes the checks fails with 503 */
const config = {
  port: 0,
  relayerUrl: 'http://127.0.0.1:9',
  packageId: `0x${'c'.repeat(64)}`,
  walletFile: '/nonexistent/wallet.json',
};

let dashboard: Dashboard;
let port: number;
beforeAll(async () => {
  dashboard = await startDashboard({ ...config, startToken }, pages);
  port = Number(new URL(dashboard.url).port);
});
afterAll(() => dashboard.close());

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { error?: string; message?: string; token?: string };
}

function send(
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
  body?: object,
  to = port,
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { host: `127.0.0.1:${to}`, ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port: to,
        path,
        method,
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      },
      (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: answer.startsWith('{') ? (JSON.parse(answer) as Answer['body']) : {},
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

const samePage = (to = port): Record<string, string> => ({
  origin: `http://127.0.0.1:${to}`,
  'content-type': 'application/json',
});

async function paired(to = port, secret = startToken): Promise<string> {
  const { body } = await send('POST', walletPaths.pair, samePage(to), { code: validCode(secret) }, to);
  return body.token!;
}

const delegate = {
  accountId: `0x${'b'.repeat(64)}`,
  publicKey: 'a'.repeat(64),
  label: 'tool',
  scope: { perms: 3, allNamespaces: true, tags: [], expiresAtMs: '0' },
};

describe('pairing', () => {
  it('accepts a code of this run once', async () => {
    const code = validCode();
    const first = await send('POST', walletPaths.pair, samePage(), { code });
    expect(first).toMatchObject({ status: 200, body: { token: expect.stringMatching(/^[\w-]{43}$/) } });
    expect(await send('POST', walletPaths.pair, samePage(), { code })).toMatchObject({
      status: 403,
      body: { error: 'pairing_used' },
    });
  });

  it.each([
    ['of another start', 'pairing_foreign', validCode('6'.repeat(64))],
    ['that has expired', 'pairing_expired', newPairingCode(startToken, new Date(1_000))],
    ['that is cut off', 'pairing_incomplete', validCode().slice(0, 40)],
    ['that is the secret itself', 'pairing_incomplete', startToken],
    ['that is empty', 'pairing_incomplete', ''],
  ])('refuses a code %s', async (_, error, code) => {
    const refused = await send('POST', walletPaths.pair, samePage(), { code });
    expect(refused).toMatchObject({ status: 403, body: { error } });
    expect(refused.body.message).toContain('npx memrelay pair');
  });
});

describe('a paired browser', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const browserKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
  const origin = (): string => `http://127.0.0.1:${port}`;
  const challenge = async (): Promise<string> => {
    const { body } = await send('POST', walletPaths.challenge, samePage(), {});
    return (body as { challenge: string }).challenge;
  };
  const proofOf = (text: string, from = origin()): object => ({
    browserKey,
    challenge: text,
    signature: sign('sha256', browserProofMessage(from, text), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url'),
  });
  const resume = (proof: object): Promise<Answer> => send('POST', walletPaths.resume, samePage(), proof);
  const refused = { status: 401, body: { error: 'not_paired' } };

  it('is unknown until it sent its key with a valid pairing code', async () => {
    expect(await resume(proofOf(await challenge()))).toMatchObject(refused);
    await send('POST', walletPaths.pair, samePage(), { code: validCode('6'.repeat(64)), browserKey });
    expect(await resume(proofOf(await challenge()))).toMatchObject(refused);
  });

  it('gets a token for another tab, once for each challenge and only with its own signature', async () => {
    await send('POST', walletPaths.pair, samePage(), { code: validCode(), browserKey });
    const proof = proofOf(await challenge());
    const { status, body } = await resume(proof);
    expect(status).toBe(200);
    const headers = { ...samePage(), authorization: `Bearer ${body.token}` };
    expect(await send('POST', walletPaths.state, headers, {})).toMatchObject({ status: 503 });
    expect(await resume(proof)).toMatchObject(refused);
    expect(await resume(proofOf('A'.repeat(43)))).toMatchObject(refused);
    expect(await resume(proofOf(await challenge(), 'http://127.0.0.1:1'))).toMatchObject(refused);
    const other = { ...proofOf(await challenge()), challenge: await challenge() };
    expect(await resume(other)).toMatchObject(refused);
  });

  it('cannot resume from another origin', async () => {
    const proof = proofOf(await challenge());
    const foreign = { ...samePage(), origin: 'https://evil.example' };
    for (const path of [walletPaths.challenge, walletPaths.resume])
      expect(await send('POST', path, foreign, proof)).toMatchObject({ status: 403 });
  });
});

const paths = [
  [walletPaths.state, {}],
  [walletPaths.addDelegate, delegate],
  [walletPaths.removeDelegate, { publicKey: delegate.publicKey }],
  [walletPaths.changeAccount, { accountId: delegate.accountId, change: { kind: 'rotate' } }],
  [walletPaths.blobs, { objectIds: [`0x${'d'.repeat(64)}`] }],
  [walletPaths.deleteBlobs, { objectIds: [`0x${'d'.repeat(64)}`] }],
] as const;

describe.each(paths)('%s', (path, body) => {
  const call = async (headers: Record<string, string | undefined>): Promise<Answer> =>
    send('POST', path, { ...samePage(), authorization: `Bearer ${await paired()}`, ...headers }, body);

  it('succeeds for a paired tab of this origin', async () => {
    expect(await call({})).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  });

  it.each<[string, number, string, Record<string, string | undefined>]>([
    ['without a token', 401, 'not_paired', { authorization: undefined }],
    ['with a wrong token', 401, 'not_paired', { authorization: `Bearer ${'x'.repeat(43)}` }],
    ['with the secret of the start', 401, 'not_paired', { authorization: `Bearer ${startToken}` }],
    ['with a pairing code', 401, 'not_paired', { authorization: `Bearer ${validCode()}` }],
    ['from another origin', 403, 'wrong_origin', { origin: 'https://evil.example' }],
    ['from the other name of this machine', 403, 'wrong_origin', { origin: 'http://localhost:1' }],
    ['from a page without an origin', 403, 'wrong_origin', { origin: 'null' }],
    ['without an origin', 403, 'wrong_origin', { origin: undefined }],
    ['under a rebound name', 403, 'wrong_host', { host: 'evil.example', origin: 'http://evil.example' }],
    ['under a name with a suffix', 403, 'wrong_host', { host: '127.0.0.1.evil.example' }],
    ['under another port', 403, 'wrong_host', { host: '127.0.0.1:1', origin: 'http://127.0.0.1:1' }],
  ])('is refused %s', async (_, status, error, headers) => {
    expect(await call(headers)).toMatchObject({ status, body: { error } });
  });

  it('is refused with a token of an earlier run', async () => {
    const before = await startDashboard({ ...config, startToken: '7'.repeat(64) }, pages);
    const old = await paired(Number(new URL(before.url).port), '7'.repeat(64));
    await before.close();
    expect(old).toHaveLength(43);
    expect(await call({ authorization: `Bearer ${old}` })).toMatchObject({ status: 401 });
  });
});

it.each<[string, string, object]>([
  ['bytes to sign', walletPaths.addDelegate, { ...delegate, transaction: 'AAAA' }],
  ['bytes alone', walletPaths.addDelegate, { transactionBlockKindBytes: 'AAAA' }],
  ['another function', walletPaths.addDelegate, { ...delegate, target: '0x2::coin::transfer' }],
  ['another package', walletPaths.removeDelegate, { publicKey: delegate.publicKey, packageId: '0x2' }],
  ['no rights at all', walletPaths.addDelegate, { ...delegate, scope: { ...delegate.scope, perms: 0 } }],
  ['unknown rights', walletPaths.addDelegate, { ...delegate, scope: { ...delegate.scope, perms: 15 } }],
  [
    '17 namespaces',
    walletPaths.addDelegate,
    { ...delegate, scope: { ...delegate.scope, tags: Array(17).fill('a'.repeat(32)) } },
  ],
  [
    'an expiry that is not a number',
    walletPaths.addDelegate,
    { ...delegate, scope: { ...delegate.scope, expiresAtMs: '-1' } },
  ],
  ['an invalid key', walletPaths.addDelegate, { ...delegate, publicKey: 'xyz' }],
  [
    'an unknown change',
    walletPaths.changeAccount,
    { accountId: delegate.accountId, change: { kind: 'accept' } },
  ],
  [
    'an offer to no address',
    walletPaths.changeAccount,
    { accountId: delegate.accountId, change: { kind: 'offer', newOwner: '0x2' } },
  ],
  [
    'a recovery key that is too short',
    walletPaths.changeAccount,
    { accountId: delegate.accountId, change: { kind: 'recovery-key', publicKey: 'ab' } },
  ],
  ['no blob objects', walletPaths.deleteBlobs, { objectIds: [] }],
  ['all blob objects', walletPaths.deleteBlobs, { all: true }],
  ['101 blob objects', walletPaths.deleteBlobs, { objectIds: Array(101).fill(`0x${'d'.repeat(64)}`) }],
  ['an additional address', walletPaths.addDelegate, { ...delegate, address: `0x${'a'.repeat(64)}` }],
])('rejects %s before it reaches the wallet', async (_, path, body) => {
  const headers = { ...samePage(), authorization: `Bearer ${await paired()}` };
  expect(await send('POST', path, headers, body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  });
});

it.each(['/wallet/sign', '/wallet/execute', '/wallet/key'])('there is no %s', async (path) => {
  const headers = { ...samePage(), authorization: `Bearer ${await paired()}` };
  expect((await send('POST', path, headers, {})).status).toBe(404);
});

describe('pages', () => {
  it.each(['/', '/access', '/keys', '/connect/mcp', '/connect/oauth', '/nothing'])(
    '%s cannot be framed, cached or made to run foreign code',
    async (path) => {
      const { headers } = await send('GET', path, {});
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy.join()).not.toContain('unsafe');
    },
  );

  it('are served compressed to browsers that accept it, and as they are to others', async () => {
    const accepted = { 'accept-encoding': 'br, gzip' };
    const { headers } = await send('GET', '/assets/page.js', accepted);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    const plain = await fetch(`${dashboard.url}/assets/page.js`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe('start();');
  });

  it('are served under both names of this machine and no other', async () => {
    expect((await send('GET', '/connect/mcp', { host: `localhost:${port}` })).status).toBe(200);
    expect((await send('GET', '/connect/mcp', { host: `evil.example:${port}` })).status).toBe(403);
    expect((await send('GET', '/connect/mcp', { host: 'localhost' })).status).toBe(403);
  });
});
