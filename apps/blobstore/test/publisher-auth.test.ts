import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { Writable } from 'node:stream';
import { SignJWT } from 'jose';
import { type Logger, pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createReplayCache } from '../src/auth/replay-cache.ts';
import { type TokenAlgorithm, tokenKeyOf } from '../src/auth/token-key.ts';
import { authSettings, nowSec, putWith, secret, tokenOf } from './publisher-tokens.ts';
import { type ErrorAnswer, refusal, startStore } from './running-store.ts';

const address = `0x${'ab'.repeat(32)}`;
const accepted = 200;

/** The status, or the status and the reason of a refusal. */
async function outcome(response: Response): Promise<unknown> {
  if (response.status === accepted) return accepted;
  const { status, reason } = await refusal(response);
  return `${status} ${reason as string}`;
}

/** Sends one publisher several stores in sequence, each with a separate token. */
async function outcomes(
  changes: Parameters<typeof authSettings>[0],
  stores: [claims: Record<string, unknown>, query: string, expected: unknown][],
): Promise<void> {
  const { url } = await startStore({ auth: authSettings(changes) });
  for (const [claims, query, expected] of stores) {
    const token = await tokenOf(claims);
    expect([claims, query, await outcome(await putWith(url, token, query, 'xyz'))]).toEqual([
      claims,
      query,
      expected,
    ]);
  }
}

test('requires a token for a store, and only for a store', async () => {
  const { url } = await startStore({ auth: authSettings() });
  expect(await outcome(await putWith(url, undefined))).toBe('400 MISSING_TOKEN');
  const basic = { method: 'PUT', headers: { authorization: 'Basic eDp5' }, body: 'x' };
  expect(await outcome(await fetch(`${url}/v1/blobs`, basic))).toBe('400 MISSING_TOKEN');
  expect(await outcome(await putWith(url, await tokenOf()))).toBe(accepted);
  expect((await fetch(`${url}/status`)).status).toBe(200);
  expect((await fetch(`${url}/v1/blobs/${'A'.repeat(43)}`)).status).toBe(404);
});

test('names the publisher in the envelope of a rejection', async () => {
  const { url } = await startStore({ auth: authSettings() });
  const response = await putWith(url, await tokenOf({}, 'another secret'));
  expect(response.status).toBe(401);
  expect(((await response.json()) as ErrorAnswer).error).toEqual({
    status: 'UNAUTHENTICATED',
    code: 401,
    message: 'the signature of the token is not valid',
    details: [
      {
        '@type': 'ErrorInfo',
        reason: 'INVALID_SIGNATURE',
        domain: 'auth.publisher.walrus.space',
        metadata: {},
      },
    ],
  });
});

test('reads claims as the real publisher does', async () => {
  await outcomes({}, [
    [{ exp: nowSec() - 55 }, '', accepted],
    [{ exp: nowSec() - 65 }, '', '504 EXPIRED_SIGNATURE'],
    [{ nbf: nowSec() + 1000 }, '', accepted],
    [{ iss: 'someone', sub: 'something' }, '', accepted],
    [{ aud: 'another service' }, '', '400 INVALID_TOKEN'],
    [{ aud: ['another', 'service'] }, '', '400 INVALID_TOKEN'],
    [{ aud: 5 }, '', accepted],
    [{ exp: undefined }, '', '400 INVALID_TOKEN'],
    [{ exp: 'soon' }, '', '400 INVALID_TOKEN'],
    [{ exp: nowSec() + 60.5 }, '', '400 INVALID_TOKEN'],
    [{ exp: -1 }, '', '400 INVALID_TOKEN'],
    [{ exp: 1e15 }, '', '400 INVALID_TIMESTAMP'],
    [{ jti: undefined }, '', '400 INVALID_TOKEN'],
    [{ jti: 7 }, '', '400 INVALID_TOKEN'],
    [{ iat: 'then' }, '', '400 INVALID_TOKEN'],
    [{ epochs: -1 }, '', '400 INVALID_TOKEN'],
    [{ max_epochs: 2 ** 32 }, '', '400 INVALID_TOKEN'],
    [{ send_object_to: '0x1' }, '', '400 INVALID_TOKEN'],
    [{ size: null, max_size: null, epochs: null, send_object_to: null }, '', accepted],
    [{ size: 3, max_size: 3 }, '', '400 INCONSISTENT_TOKEN'],
    // Sizes are checked against the body even if nothing else is checked.
    [{ size: 3 }, '', accepted],
    [{ size: 4 }, '', '400 INVALID_SIZE'],
    [{ max_size: 3 }, '', accepted],
    [{ max_size: 2 }, '', '400 INVALID_SIZE'],
    [{ epochs: 2 }, '?epochs=3', accepted],
    [{ send_object_to: address }, '', accepted],
  ]);
});

test.each([
  ['verified', authSettings()],
  ['not verified', undefined],
])('rejects a token in another encoding where tokens are %s', async (_, auth) => {
  const { url } = await startStore(auth === undefined ? {} : { auth });
  const token = await tokenOf();
  const [header, payload, signature] = token.split('.') as [string, string, string];
  // The last two bits of the 43 characters are unused
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(signature.at(-1)!);
  const loose =
    signature.slice(0, -1) + 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last + 1]!;
  for (const other of [
    `${token}=`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}==.${signature}`,
    `${header}.${payload}.${loose}`,
    `${header}.${payload}.${signature.slice(0, 20)} ${signature.slice(20)}`,
    `${header}.${payload}.+${signature.slice(1)}`,
  ]) {
    expect(await outcome(await putWith(url, other))).toBe('400 INVALID_TOKEN');
  }
  expect((await putWith(url, token)).status).toBe(200);
});

test('checks a store against its token beforehand if the publisher requires it', async () => {
  await outcomes({ verifyUpload: true }, [
    [{}, '?epochs=3', accepted],
    [{ epochs: 3 }, '?epochs=3', accepted],
    [{ epochs: 3 }, '?epochs=2', '400 INVALID_EPOCHS'],
    [{ epochs: 3 }, '?epochs=4', '400 INVALID_EPOCHS'],
    [{ epochs: 1 }, '', accepted],
    [{ epochs: 2 }, '', '400 INVALID_EPOCHS'],
    [{ max_epochs: 3 }, '?epochs=3', accepted],
    [{ max_epochs: 3 }, '?epochs=4', '400 INVALID_EPOCHS'],
    [{ epochs: 2, max_epochs: 3 }, '?epochs=2', '400 INCONSISTENT_TOKEN'],
    [{ size: 3 }, '', accepted],
    [{ size: 2 }, '', '400 INVALID_SIZE'],
    [{ max_size: 2 }, '', '400 INVALID_SIZE'],
    [{ send_object_to: address }, `?send_object_to=${address.toUpperCase().replace('0X', '0x')}`, accepted],
    [{ send_object_to: address }, '', '400 INVALID_SEND_OBJECT_TO'],
    [{ send_object_to: address }, `?send_object_to=0x${'cd'.repeat(32)}`, '400 INVALID_SEND_OBJECT_TO'],
    [{}, `?send_object_to=${address}`, accepted],
  ]);
});

test('checks the length against the token even if it was not announced', async () => {
  const { url } = await startStore({ auth: authSettings({ verifyUpload: true }) });
  const headers = { authorization: `Bearer ${await tokenOf({ max_size: 3 })}` };
  const body = new Blob(['long', 'er']).stream();
  const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', headers, body, duplex: 'half' } as object);
  expect(await outcome(response)).toBe('400 INVALID_SIZE');
});

test('requires exactly the fixed lifetime of tokens', async () => {
  const now = nowSec();
  await outcomes({ expiringSec: 100 }, [
    [{ iat: now, exp: now + 100 }, '', accepted],
    [{ iat: now, exp: now + 99 }, '', '400 INVALID_EXPIRATION'],
    [{ iat: now, exp: now + 101 }, '', '400 INVALID_EXPIRATION'],
    [{ exp: now + 100 }, '', '400 INVALID_EXPIRATION'],
  ]);
});

describe('a token', () => {
  test('is valid for one store', async () => {
    const { url } = await startStore({ auth: authSettings() });
    const token = await tokenOf({ exp: nowSec() - 50 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => putWith(url, token)));
    const results = await Promise.all(answers.map(outcome));
    expect(results.toSorted()).toEqual([
      accepted,
      ...Array.from({ length: 7 }, () => '429 TOKEN_ALREADY_USED'),
    ]);
    const sameJti = await tokenOf({ jti: JSON.parse(atob(token.split('.')[1]!)).jti });
    expect(await outcome(await putWith(url, sameJti))).toBe('429 TOKEN_ALREADY_USED');
  });

  test('remains usable when its store is rejected beforehand', async () => {
    const { url } = await startStore({ auth: authSettings({ verifyUpload: true }) });
    const token = await tokenOf({ epochs: 2 });
    expect(await outcome(await putWith(url, token))).toBe('400 INVALID_EPOCHS');
    expect(await outcome(await putWith(url, token, '?nonsense=1'))).toBe('400 MALFORMED_REQUEST');
    expect(await outcome(await putWith(url, token, '?epochs=2'))).toBe(accepted);
  });

  test('is used up when the body turns out to be too large', async () => {
    const { url } = await startStore({ auth: authSettings() });
    const token = await tokenOf({ max_size: 2 });
    expect(await outcome(await putWith(url, token, '', 'xyz'))).toBe('400 INVALID_SIZE');
    expect(await outcome(await putWith(url, token, '', 'x'))).toBe('429 TOKEN_ALREADY_USED');
  });

  test('is rejected when the cache of used tokens is full', async () => {
    const cache = { size: 1, refreshIntervalMs: 1_000_000 };
    const { url } = await startStore({ auth: authSettings({ cache }) });
    expect(await outcome(await putWith(url, await tokenOf()))).toBe(accepted);
    expect(await outcome(await putWith(url, await tokenOf()))).toBe('500 INTERNAL_ERROR');
  });

  test('is remembered until it has expired, or its use is undone', () => {
    const cache = createReplayCache({ size: 2, refreshIntervalMs: 1_000_000 });
    const later = Date.now() + 60_000;
    cache.add('ended', Date.now() - 1);
    expect(() => cache.add('ended', later)).toThrow('used already');
    cache.add('one', later);
    cache.add('two', later);
    expect(() => cache.add('three', later)).toThrow('too many');
    expect(() => cache.add('one', later)).toThrow('used already');
    cache.remove('one');
    cache.add('three', later);
  });

  test('is required before the publisher reports that it is busy', async () => {
    const limits = { publisher: { concurrent: 1, buffered: 1 } };
    const { url } = await startStore({ auth: authSettings(), limits });
    const headers = { authorization: `Bearer ${await tokenOf()}`, 'content-length': 1000 };
    const uploads: ClientRequest[] = [];
    // An upload that arrives while another one is stored is refused, so it may take several until one keeps the store busy
    const whileUploading = async (): Promise<unknown> => {
      const upload = request(`${url}/v1/blobs`, { method: 'PUT', headers });
      uploads.push(upload);
      upload.on('error', () => undefined);
      upload.write('only a part');
      return outcome(await putWith(url, await tokenOf()));
    };
    await expect.poll(whileUploading, { timeout: 10_000 }).toBe('429 TOO_MANY_REQUESTS');
    expect(await outcome(await putWith(url, undefined))).toBe('400 MISSING_TOKEN');
    expect(await outcome(await putWith(url, 'no.jwt.'))).toBe('400 INVALID_TOKEN');
    for (const upload of uploads) upload.destroy();
  });
});

function ecPoint(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
}

/** A key pair of an algorithm, and the public key in the format that the real publisher accepts. */
function pairOf(algorithm: TokenAlgorithm): { privateKey: KeyObject; publicKey: KeyObject; bare: Buffer } {
  if (algorithm === 'EdDSA') {
    const pair = generateKeyPairSync('ed25519');
    return { ...pair, bare: Buffer.from(pair.publicKey.export({ format: 'jwk' }).x!, 'base64url') };
  }
  if (algorithm === 'ES256' || algorithm === 'ES384') {
    const pair = generateKeyPairSync('ec', { namedCurve: algorithm === 'ES256' ? 'P-256' : 'P-384' });
    return { ...pair, bare: ecPoint(pair.publicKey) };
  }
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...pair, bare: pair.publicKey.export({ format: 'der', type: 'pkcs1' }) };
}

test.each(['ES256', 'ES384', 'RS256', 'PS384', 'EdDSA'] as const)(
  '%s is verified only with its public key, in either format',
  async (algorithm) => {
    const { privateKey, publicKey, bare } = pairOf(algorithm);
    const hex = `0x${bare.toString('hex')}`;
    const { url } = await startStore({ auth: authSettings({ key: tokenKeyOf(algorithm, hex) }) });
    const sign = (key: KeyObject | Uint8Array, alg: string): Promise<string> =>
      new SignJWT({ exp: nowSec() + 60, jti: randomUUID() }).setProtectedHeader({ alg }).sign(key);
    expect(await outcome(await putWith(url, await sign(privateKey, algorithm)))).toBe(accepted);
    const stranger = await sign(pairOf(algorithm).privateKey, algorithm);
    expect(await outcome(await putWith(url, stranger))).toBe('401 INVALID_SIGNATURE');
    // The public key used as an HMAC secret: the classic algorithm confusion attack.
    expect(await outcome(await putWith(url, await sign(bare, 'HS256')))).toBe('400 INVALID_TOKEN');
    const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('hex');
    expect((tokenKeyOf(algorithm, `0x${spki}`).key as KeyObject).equals(publicKey)).toBe(true);
  },
);

test.each([
  ['HS384', 'short'],
  ['HS512', `0x${'00ff'.repeat(40)}`],
] as const)('%s accepts a secret of any length, as text or hex', async (algorithm, text) => {
  const key = tokenKeyOf(algorithm, text);
  const { url } = await startStore({ auth: authSettings({ key }) });
  const claims = new SignJWT({ exp: nowSec() + 60, jti: 'one' }).setProtectedHeader({ alg: algorithm });
  expect(await outcome(await putWith(url, await claims.sign(key.key)))).toBe(accepted);
  expect(await outcome(await putWith(url, await tokenOf()))).toBe('400 INVALID_TOKEN');
});

test('malformed tokens are rejected', async () => {
  const { url } = await startStore({ auth: authSettings() });
  const [header, payload, signature] = (await tokenOf()).split('.') as [string, string, string];
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const crit = Buffer.from('{"alg":"HS256","crit":["x"],"x":1}').toString('base64url');
  const noObject = Buffer.from('5').toString('base64url');
  const wrong = [
    'x',
    'a.b',
    `${header}.${payload}`,
    `${none}.${payload}.`,
    `${crit}.${payload}.${signature}`,
  ];
  for (const token of [...wrong, `${header}.${payload}.${signature}.x`, '']) {
    expect([token, await outcome(await putWith(url, token || ' '))]).toEqual([
      token,
      token === '' ? '400 MISSING_TOKEN' : '400 INVALID_TOKEN',
    ]);
  }
  for (const token of [`${header}.${noObject}.${signature}`, `${header}.${payload}.`]) {
    expect(await outcome(await putWith(url, token))).toBe('401 INVALID_SIGNATURE');
  }
});

describe('without a secret', () => {
  test('tokens are read and not verified, for a publisher behind a gateway', async () => {
    const { key: _, ...unverified } = authSettings({ verifyUpload: true });
    const { url } = await startStore({ auth: unverified });
    expect(await outcome(await putWith(url, undefined))).toBe('400 MISSING_TOKEN');
    expect(await outcome(await putWith(url, 'x'))).toBe('400 INVALID_TOKEN');
    expect(await outcome(await putWith(url, await tokenOf({ exp: 5 }, 'any secret')))).toBe(accepted);
    expect(await outcome(await putWith(url, await tokenOf({ epochs: 2 })))).toBe('400 INVALID_EPOCHS');
  });

  test('an optional token still limits the size', async () => {
    const { url } = await startStore();
    expect(await outcome(await putWith(url, undefined))).toBe(accepted);
    expect(await outcome(await putWith(url, await tokenOf({ size: 1, epochs: 9 })))).toBe(accepted);
    expect(await outcome(await putWith(url, await tokenOf({ size: 2 })))).toBe('400 INVALID_SIZE');
    expect(await outcome(await putWith(url, 'no JWT'))).toBe('400 INVALID_TOKEN');
  });
});

/** A logger, and the lines that it has written. */
function listen(): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, logger: pino({ level: 'trace' }, sink) };
}

test('a publisher that does not verify tokens logs a warning when it starts', async () => {
  const { key: _, ...unverified } = authSettings();
  const { lines, logger } = listen();
  await startStore({ auth: unverified, logger });
  expect(lines.join('')).toContain('read but not verified');
  const silent = listen();
  await startStore({ auth: authSettings(), logger: silent.logger });
  expect(silent.lines.join('')).not.toContain('not verified');
});

test('a token that expires during a store does not fail it', async () => {
  const { lines, logger } = listen();
  const { url } = await startStore({ auth: authSettings(), logger });
  expect(await outcome(await putWith(url, await tokenOf({ exp: 1 })))).toBe('504 EXPIRED_SIGNATURE');
  expect(lines.join('')).not.toContain('request failed');
});

test('logs no token and no secret', async () => {
  const { lines, logger } = listen();
  const { url } = await startStore({
    auth: authSettings({ cache: { size: 1, refreshIntervalMs: 1 } }),
    logger,
  });
  const tokens = [
    await tokenOf(),
    await tokenOf(),
    await tokenOf({ exp: 1 }),
    await tokenOf({}, 'wrong'),
    'a.b.c',
  ];
  const statuses = [];
  for (const token of tokens) statuses.push((await putWith(url, token)).status);
  expect(statuses).toEqual([200, 500, 504, 401, 400]);
  expect(lines.join('')).toContain('request failed');
  for (const part of [...tokens.flatMap((token) => token.split('.')), secret]) {
    if (part.length > 1) expect(lines.join('')).not.toContain(part);
  }
});
