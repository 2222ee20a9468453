import { createPrivateKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClock } from '../src/wire/clock.ts';
import { authHeaders } from '../src/wire/request.ts';
import { createSigner, parsePrivateKey } from '../src/wire/signer.ts';
import { uuidV4 } from '../src/wire/uuid.ts';
import { accountId, signatureIsValid, startWire, testClient } from './wire-double.ts';

afterEach(() => vi.unstubAllGlobals());

/** The primitives of a page without https: random numbers, no `subtle`, no `randomUUID`. */
function removeWebCrypto() {
  const getRandomValues = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  vi.stubGlobal('crypto', { getRandomValues });
}

function nodeKey(seed: Uint8Array) {
  const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

describe.each(['WebCrypto', 'noble'])('signatures made with %s', (variant) => {
  const prepare = () => {
    if (variant === 'noble') removeWebCrypto();
  };

  it('match a fixed vector', async () => {
    prepare();
    // The key of RFC 8032, 7.1, test 1; the expected signature was made with OpenSSL.
    const signer = createSigner(
      parsePrivateKey('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'),
    );
    const nonce = '3f2b8c1e-7a4d-4e9b-8f00-1234567890ab';
    const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
    const sent = await authHeaders(
      { accountId, publicKey, signer, clock: createClock(() => 1_765_432_100_999) },
      { method: 'POST', path: '/api/remember' },
      new TextEncoder().encode('{"text":"héllo"}'),
      nonce,
    );
    expect(Buffer.from(signer.publicKey).toString('hex')).toBe(publicKey);
    expect(sent).toEqual({
      'x-public-key': publicKey,
      'x-signature':
        '36ac04b7d7052bb8b4f773bf68cb084154b3699b40afab3e11ec0caa8ab31c0d17e7c5adba5f5c0cdaccf230e492189ec3052ebeb6b3ffdc86475605c85ae60b',
      'x-timestamp': '1765432100',
      'x-nonce': nonce,
      'x-account-id': accountId,
    });
  });

  it('equal those of node:crypto for any key and message', async () => {
    prepare();
    const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
    await fc.assert(
      fc.asyncProperty(seed, fc.uint8Array({ maxLength: 300 }), async (key, message) => {
        const made = await createSigner(key.slice()).sign(message);
        expect(Buffer.from(made).equals(sign(null, message, nodeKey(key)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('cover the bytes and the path that arrive', async () => {
    prepare();
    await using wire = await startWire([{ json: {} }]);
    const client = testClient(wire.url);
    await client.remember('naïve ☕ "quoted"', { namespace: 'a/b' });
    await client.job('id/with?reserved#characters');
    for (const request of wire.seen) {
      const { headers } = request;
      expect(signatureIsValid(request, client.publicKey)).toBe(true);
      expect(headers['x-account-id']).toBe(accountId);
      expect(Math.abs(Number(headers['x-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
      expect(headers).not.toHaveProperty('x-enc-session');
    }
    expect(wire.seen[1]!.path).toBe('/api/remember/id%2Fwith%3Freserved%23characters');
    expect(wire.seen[0]!.json).toEqual({ text: 'naïve ☕ "quoted"', namespace: 'a/b' });
  });
});

it('signs the path without a prefix that a proxy removes', async () => {
  await using wire = await startWire([{ json: {} }]);
  const client = testClient(`${wire.url}/memory/`);
  const signer = createSigner(parsePrivateKey('11'.repeat(32)));
  await client.account();
  const { path, headers } = wire.seen[0]!;
  expect(path).toBe('/memory/api/account');
  const clock = createClock(() => Number(headers['x-timestamp']) * 1000);
  const expected = await authHeaders(
    { accountId, publicKey: client.publicKey, signer, clock },
    { method: 'GET', path: '/api/account' },
    undefined,
    headers['x-nonce'] as string,
  );
  expect(headers['x-signature']).toBe(expected['x-signature']);
});

it('makes version 4 UUIDs that differ', () => {
  const made = Array.from({ length: 200 }, uuidV4);
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(200);
});
