import { fromHex, toHex } from '@memrelay/protocol/bytes';
import type { SessionKey } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signedRequest } from '../src/key-servers/certificate.ts';
import { account, approveAll, packageId, startKeyServerWorld } from './key-server-world.ts';

let world: Awaited<ReturnType<typeof startKeyServerWorld>>;
const owner = new Ed25519Keypair();
const id = new Uint8Array(56).fill(3);
const sdk = { 'client-sdk-type': 'typescript', 'client-sdk-version': '1.4.12' };

beforeAll(async () => {
  world = await startKeyServerWorld();
  world.state.allow = (sender) => sender === owner.toSuiAddress();
});
afterAll(() => world.app.close());
afterEach(() => {
  world.clock.nowMs = () => Date.now();
  world.state.failing = false;
});

type Body = { certificate: Record<string, unknown> } & Record<string, unknown>;

/** The body that Seal's client would send. */
async function bodyFor(sessionKey: SessionKey, txBytes: Uint8Array): Promise<Body> {
  const params = await sessionKey.createRequestParams(txBytes);
  return {
    ptb: toBase64(txBytes.slice(1)),
    enc_key: toBase64(params.encKeyPk),
    enc_verification_key: toBase64(params.encVerificationKey),
    request_signature: params.requestSignature,
    certificate: { ...(await sessionKey.getCertificate()) },
  };
}

async function goodBody(txBytes?: Uint8Array): Promise<Body> {
  return bodyFor(await world.session(owner), txBytes ?? (await approveAll([id])));
}

/** Posts to the first key server; every response must have the version header. */
async function post(body: unknown, headers: Record<string, string> = sdk) {
  const response = await fetch(`${world.baseUrl}/key/0/v1/fetch_key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(response.headers.get('x-keyserver-version')).toBe('0.6.10');
  expect(response.headers.get('access-control-expose-headers')).toContain('X-KeyServer-Version');
  const answer = (await response.json()) as { error?: string; decryption_keys?: unknown[] };
  return { status: response.status, error: answer.error, keys: answer.decryption_keys?.length };
}

it('accepts a valid request', async () => {
  expect(await post(await goodBody())).toEqual({ status: 200, error: undefined, keys: 1 });
});

describe('certificate', () => {
  it.each([
    ['expired', 10 * 60_000 + 1000],
    ['from the future', -5000],
  ])('%s', async (_name, shift) => {
    const body = await goodBody();
    world.clock.nowMs = () => Date.now() + shift;
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidCertificate' });
  });

  it.each([0, 31, 65_535])('ttl of %i minutes', async (ttl) => {
    const body = await goodBody();
    body.certificate.ttl_min = ttl;
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidCertificate' });
  });

  it('rejects a longer lifetime than was signed', async () => {
    const body = await goodBody();
    body.certificate.ttl_min = 30;
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidSignature' });
  });

  it('rejects a signature by a user other than the one in the certificate', async () => {
    const body = await bodyFor(await world.session(new Ed25519Keypair()), await approveAll([id]));
    body.certificate.user = owner.toSuiAddress();
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidSignature' });
  });

  it('rejects a package name, because there is no name registry', async () => {
    const body = await goodBody();
    body.certificate.mvr_name = '@my/package';
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidMVRName' });
  });
});

describe('request signature', () => {
  it("rejects another session's signature, so a request cannot be replayed with another session key", async () => {
    const body = await goodBody();
    const other = await (await world.session(owner)).getCertificate();
    body.certificate = { ...other };
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidSessionSignature' });
  });

  it('rejects a signature over another transaction', async () => {
    const body = await goodBody();
    body.ptb = toBase64((await approveAll([new Uint8Array(56).fill(4)])).slice(1));
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidSessionSignature' });
  });

  it('rejects a signature over another response key, so an eavesdropper cannot receive the response', async () => {
    const body = await goodBody();
    body.enc_key = toBase64(bls12_381.G1.Point.BASE.multiply(5n).toBytes());
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidSessionSignature' });
  });
});

describe('transaction shape', () => {
  const call = (tx: Transaction, target: string, pkg = packageId) =>
    tx.moveCall({ target: `${pkg}::account::${target}`, arguments: [tx.pure.vector('u8', id)] });
  const shapes: [string, (tx: Transaction) => unknown][] = [
    ['empty', () => {}],
    ['a transfer', (tx) => tx.transferObjects([tx.gas], owner.toSuiAddress())],
    ['another function', (tx) => call(tx, 'remove_delegate_key')],
    ['a mix of functions', (tx) => [call(tx, 'seal_approve'), call(tx, 'rotate')]],
    ['two packages', (tx) => [call(tx, 'seal_approve'), call(tx, 'seal_approve', `0x${'cd'.repeat(32)}`)]],
    [
      'a call without arguments',
      (tx) => [tx.pure.u8(1), tx.moveCall({ target: `${packageId}::account::seal_approve` })],
    ],
    [
      'an object for an identity',
      (tx) =>
        tx.moveCall({
          target: `${packageId}::account::seal_approve`,
          arguments: [tx.sharedObjectRef({ ...account, mutable: false })],
        }),
    ],
    [
      'a result for an identity',
      (tx) =>
        tx.moveCall({ target: `${packageId}::account::seal_approve`, arguments: [call(tx, 'seal_approve')] }),
    ],
    [
      'an identity that is not a vector',
      (tx) => tx.moveCall({ target: `${packageId}::account::seal_approve`, arguments: [tx.pure.u64(9)] }),
    ],
    ['more than 100 calls', (tx) => Array.from({ length: 101 }, () => call(tx, 'seal_approve'))],
  ];
  it.each(shapes)('%s', async (_name, build) => {
    const tx = new Transaction();
    build(tx);
    const body = await goodBody(await tx.build({ onlyTransactionKind: true }));
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidPTB' });
  });

  it('rejects trailing bytes and invalid BCS', async () => {
    const body = await goodBody();
    const bytes = fromBase64(body.ptb as string);
    for (const ptb of [toBase64(new Uint8Array([...bytes, 0])), toBase64(bytes.slice(0, -1)), '%%%']) {
      expect(await post({ ...body, ptb })).toMatchObject({ status: 403, error: 'InvalidPTB' });
    }
  });

  it('rejects an unknown package', async () => {
    const tx = new Transaction();
    call(tx, 'seal_approve', `0x${'cd'.repeat(32)}`);
    const body = await goodBody(await tx.build({ onlyTransactionKind: true }));
    expect(await post(body)).toMatchObject({ status: 403, error: 'InvalidPackage' });
  });
});

describe('policy', () => {
  it('treats an abort as no access', async () => {
    const body = await bodyFor(await world.session(new Ed25519Keypair()), await approveAll([id]));
    expect(await post(body)).toMatchObject({ status: 403, error: 'NoAccess' });
  });

  it('treats an unreachable chain as a temporary error, not as a rejection', async () => {
    world.state.failing = true;
    expect(await post(await goodBody())).toMatchObject({ status: 503, error: 'Failure' });
  });
});

describe('client and body', () => {
  it.each([
    [{}, 400, 'MissingRequiredHeader'],
    [{ ...sdk, 'client-sdk-version': 'new' }, 400, 'InvalidSDKVersion'],
    [{ ...sdk, 'client-sdk-version': '0.4.4' }, 426, 'DeprecatedSDKVersion'],
  ])('headers %j', async (headers, status, error) => {
    expect(await post(await goodBody(), headers as Record<string, string>)).toMatchObject({ status, error });
  });

  it('rejects broken JSON, missing fields, wrong lengths and points outside the group', async () => {
    const body = await goodBody();
    const infinity = toBase64(bls12_381.G1.Point.ZERO.toBytes());
    const bad = ['{', '[]', {}, { ...body, certificate: null }, { ...body, enc_key: infinity }];
    bad.push(
      { ...body, enc_key: toBase64(new Uint8Array(48).fill(1)) },
      { ...body, request_signature: 'AA==' },
    );
    bad.push({ ...body, certificate: { ...body.certificate, creation_time: -1 } });
    for (const each of bad)
      expect(await post(each)).toMatchObject({ status: 400, error: 'MalformedRequest' });
  });

  it('rejects a body above 180 KiB', async () => {
    const body = { ...(await goodBody()), padding: 'x'.repeat(180 * 1024) };
    expect(await post(body)).toMatchObject({ status: 413 });
  });

  it('rejects an unknown service', async () => {
    const other = world.keyServers.servers[1]!.objectId;
    const response = await fetch(`${world.baseUrl}/key/0/v1/service?service_id=${other}`, { headers: sdk });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'InvalidServiceId' }]);
  });

  it("rejects an unknown path, and answers a browser's preflight", async () => {
    const unknown = await fetch(`${world.baseUrl}/key/0/v2/nothing`);
    expect([unknown.status, unknown.headers.get('x-keyserver-version')]).toEqual([404, '0.6.10']);
    const preflight = await fetch(`${world.baseUrl}/key/0/v1/fetch_key`, { method: 'OPTIONS' });
    expect([preflight.ok, preflight.headers.get('access-control-allow-headers')]).toEqual([true, '*']);
  });
});

it('rebuilds the signed bytes as the Rust server does (its regression vector)', () => {
  const vector =
    '38000100d92bc457b42d48924087ea3f22d35fd2fe9afdf5bdfe38cc51c0f14f3282f6d503626c610e7365616c5f617070726f7665' +
    '5f7800003085946cd4134ecb8f7739bbd3522d1c8fab793c6c431a8b0b77b4f1885d4c096aafab755e7b8bce8688410cee9908fb29' +
    '608faaf686c0dcbe3f65f1130e8be538d7ea009347d397f517188dfa14417618887a0412e404fff56efbafb63d1fc4970a1187b4cc' +
    'b6e767a91822312e533fa53dee69f77ef5130be095e147ff3d40e96e8ddc4bf554dae3bcc34048fe9330cccf';
  const bytes = fromHex(vector);
  const parts = [bytes.slice(1, 57), bytes.slice(58, 106), bytes.slice(107)] as const;
  expect(toHex(signedRequest(...parts))).toBe(vector);
});
