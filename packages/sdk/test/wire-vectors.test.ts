import { toHex } from '@memrelay/protocol/bytes';
import { sessionMessage } from '@memrelay/protocol/enc-session';
import { errorCatalogue, jobErrorCatalogue } from '@memrelay/protocol/errors';
import { signedMessage } from '@memrelay/protocol/signing';
import { sha256 } from '@noble/hashes/sha2.js';
import { afterEach, expect, it, vi } from 'vitest';
import { dataDir } from '../src/data-dir-node.ts';
import { createClock } from '../src/wire/clock.ts';
import { createEncSession, suiAddress } from '../src/wire/enc-session.ts';
import { authHeaders } from '../src/wire/request.ts';
import { isRetryable } from '../src/wire/retry.ts';
import { createSigner, parsePrivateKey } from '../src/wire/signer.ts';

/**
 * `vectors/wire-v1.json` is what every client must reproduce: signed requests, sessions, which errors are retried, and where
 * credentials are searched. The Python client's tests read the same file. `npx vitest run packages/sdk/test/wire-vectors.test.ts -u`
 * writes it.
 */

afterEach(() => vi.restoreAllMocks());

/** The keys of RFC 8032, 7.1, tests 1 and 2. */
const seeds = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
];
const accountId = `0x${'0a'.repeat(31)}Ff`;
const requests = [
  {
    method: 'POST',
    path: '/api/remember',
    body: '{"text":"héllo ☕","namespace":"a/b"}',
    seconds: 1_765_432_100,
  },
  {
    method: 'GET',
    path: '/api/remember/id%2Fwith%3Freserved%23characters',
    body: '',
    seconds: 1_765_432_101,
  },
  {
    method: 'GET',
    path: '/api/memories/0b7d?namespace=caf%C3%A9%20%26%20tea',
    body: '',
    seconds: 2_000_000_000,
  },
] as const;
const sessions = [
  { packageId: `0x${'5d'.repeat(32)}`, creationTimeMs: 1_765_432_070_999, ttlMin: 10 },
  { packageId: `0x${'00'.repeat(31)}02`, creationTimeMs: 951_782_400_000, ttlMin: 30 },
];
const directories = [
  { environment: { MEM_DATA_DIR: '/srv/memrelay' }, platform: 'linux' },
  { environment: {}, platform: 'linux' },
  { environment: { XDG_DATA_HOME: '/data' }, platform: 'linux' },
  { environment: { XDG_DATA_HOME: 'relative' }, platform: 'linux' },
  { environment: { MEM_DATA_DIR: '' }, platform: 'darwin' },
] as const;
/** Codes that no catalogue has, as a proxy or a newer relayer returns them */
const foreign = [400, 401, 404, 408, 409, 418, 429, 500, 501, 502, 503, 504, 507];

async function signedRequest(seed: string, { method, path, body, seconds }: (typeof requests)[number]) {
  const signer = createSigner(parsePrivateKey(seed));
  const nonce = '3f2b8c1e-7a4d-4e9b-8f00-1234567890ab';
  const bytes = new TextEncoder().encode(body);
  const clock = createClock(() => seconds * 1000 + 999);
  const publicKey = toHex(signer.publicKey);
  const message = signedMessage({
    timestamp: String(seconds),
    method,
    pathAndQuery: path,
    bodySha256: toHex(sha256(bytes)),
    nonce,
    accountId,
  });
  const headers = await authHeaders({ accountId, publicKey, signer, clock }, { method, path }, bytes, nonce);
  return { private_key: seed, account_id: accountId, method, path, body, seconds, nonce, message, headers };
}

async function session(seed: string, terms: (typeof sessions)[number]) {
  const signer = createSigner(parsePrivateKey(seed));
  const sessionSeed = seeds.find((each) => each !== seed)!;
  vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    (array as Uint8Array).set(Buffer.from(sessionSeed, 'hex'));
    return array;
  });
  const made = await createEncSession({ signer, ...terms });
  vi.restoreAllMocks();
  const publicKey = createSigner(parsePrivateKey(sessionSeed)).publicKey;
  const message = sessionMessage({ ...terms, sessionPublicKey: Buffer.from(publicKey).toString('base64') });
  return {
    private_key: seed,
    package_id: terms.packageId,
    creation_time_ms: terms.creationTimeMs,
    ttl_min: terms.ttlMin,
    session_seed: sessionSeed,
    message,
    session: made,
  };
}

it('the client makes the signatures, sessions and decisions of the published vectors', async () => {
  const vectors = {
    keys: seeds.map((seed) => {
      const { publicKey } = createSigner(parsePrivateKey(seed));
      return { private_key: seed, public_key: toHex(publicKey), address: suiAddress(publicKey) };
    }),
    signed_requests: await Promise.all(requests.map((each, i) => signedRequest(seeds[i % 2]!, each))),
    sessions: [await session(seeds[0]!, sessions[0]!), await session(seeds[1]!, sessions[1]!)],
    errors: Object.entries(errorCatalogue).map(([code, { status, retry }]) => ({
      code,
      status,
      retry,
      retried: isRetryable(status, code),
    })),
    foreign_errors: foreign.map((status) => ({ status, retried: isRetryable(status, 'from_the_future') })),
    job_errors: Object.keys(jobErrorCatalogue),
    data_directories: directories.map(({ environment, platform }) => ({
      environment,
      platform,
      home: '/home/alice',
      path: dataDir(environment, platform, '/home/alice'),
    })),
  };
  await expect(`${JSON.stringify(vectors, null, 2)}\n`).toMatchFileSnapshot('../vectors/wire-v1.json');
});
