import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findAccountOf } from '@memrelay/chain/account-registry';
import { createAccount } from '@memrelay/chain/account-transactions';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { newTestKey, type TestKey } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests transactions of users without coins, through the relayer, its sidecar and the localnet's sponsor. */

let network: TestNetwork;
let backend: TestBackend;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
type Answer = { status: number; retryAfter: string | null; body: any };

async function post(relayer: TestRelayer, path: string, body: unknown, address?: string): Promise<Answer> {
  const response = await fetch(relayer.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
}

async function kindOf(transaction: Transaction): Promise<string> {
  return toBase64(await transaction.build({ client: network.chain.sui, onlyTransactionKind: true }));
}

/** Requests a sponsored transaction, signs it and executes it. */
async function run(relayer: TestRelayer, sender: TestKey, transaction: Transaction): Promise<string> {
  const asked = await post(relayer, '/sponsor', {
    sender: sender.address,
    transactionBlockKindBytes: await kindOf(transaction),
  });
  expect(asked).toMatchObject({ status: 200 });
  const { bytes, digest } = asked.body as { bytes: string; digest: string };
  const { signature } = await parsePrivateKey(sender.privateKey).signTransaction(fromBase64(bytes));
  const done = await post(relayer, '/sponsor/execute', { digest, signature, sender: sender.address });
  expect(done).toMatchObject({ status: 200, body: { digest } });
  return digest;
}

function newAccount(delegate: TestKey): Transaction {
  const { packageId, registryId } = network.info;
  return createAccount(packageId, registryId, { ...delegate, label: 'laptop' });
}

function payment(): Transaction {
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], newTestKey().address);
  return transaction;
}

const coins = async ({ address }: TestKey): Promise<bigint> =>
  BigInt((await network.chain.sui.core.getBalance({ owner: address })).balance.balance);

describe('with the sponsor of the network', () => {
  let relayer: TestRelayer;
  beforeAll(async () => {
    relayer = await startTestRelayer(network, {
      ...backend,
      environment: {
        SPONSOR_API_URL: `${network.chainUrl}/sponsor`,
        SPONSOR_API_KEY: (await readFile(join(network.paths.localnet, 'sponsor.key'), 'utf8')).trim(),
        SPONSOR_NETWORK: 'localnet',
        SPONSOR_RATE_LIMIT_PER_MINUTE: 'off',
        SPONSOR_RATE_LIMIT_PER_HOUR: 'off',
      },
    });
  });
  afterAll(() => relayer.stop());

  test('lets an owner without a coin create an account, store a memory and delete its blob', async () => {
    const [owner, delegate] = [newTestKey(), newTestKey()];
    await run(relayer, owner, newAccount(delegate));
    const accountId = await findAccountOf(network.chain, network.info.registryId, owner.address);
    const client = MemRelay.create({
      key: delegate.privateKey,
      accountId: accountId!,
      serverUrl: relayer.url,
    });
    const { blobId } = await client.rememberAndWait('a memory whose gas others paid');
    client.destroy();
    expect((await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`)).status).toBe(200);

    const blobs = async () => {
      const { objects } = await network.chain.sui.core.listOwnedObjects({ owner: owner.address });
      return objects.filter(({ type }) => type.endsWith('::blob::Blob'));
    };
    const [blob] = await blobs();
    const { walrus } = network.info;
    const deletion = new Transaction();
    const storage = deletion.moveCall({
      target: `${walrus.packageId}::system::delete_blob`,
      arguments: [deletion.object(walrus.systemObjectId), deletion.object(blob!.objectId)],
    });
    deletion.transferObjects([storage], owner.address);
    await run(relayer, owner, deletion);
    expect(await blobs()).toEqual([]);
    expect(await coins(owner)).toBe(0n);
  });

  test('pays for no other transaction, and for none twice', async () => {
    const owner = newTestKey();
    const kind = await kindOf(newAccount(newTestKey()));
    for (const transactionBlockKindBytes of [await kindOf(payment()), toBase64(new Uint8Array(10))]) {
      expect(
        await post(relayer, '/sponsor', { sender: owner.address, transactionBlockKindBytes }),
      ).toMatchObject({ status: 400, body: { error: 'unsponsorable_transaction' } });
    }
    const { body } = await post(relayer, '/sponsor', {
      sender: owner.address,
      transactionBlockKindBytes: kind,
    });
    const sign = async (key: TestKey) =>
      (await parsePrivateKey(key.privateKey).signTransaction(fromBase64(body.bytes))).signature;
    const execute = (signature: string) =>
      post(relayer, '/sponsor/execute', { digest: body.digest, signature });
    const refused = { status: 400, body: { error: 'sponsor_rejected' } };
    expect(await execute(await sign(newTestKey()))).toMatchObject(refused);
    expect(await execute(await sign(owner))).toMatchObject({ status: 200 });
    expect(await execute(await sign(owner))).toMatchObject(refused);
    // A second account of the same owner would fail on chain
    const again = { sender: owner.address, transactionBlockKindBytes: kind };
    expect(await post(relayer, '/sponsor', again)).toMatchObject(refused);
  });

  const someone = `0x${'1'.repeat(64)}`;
  const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');

  test.each([
    ['nothing', '/sponsor', {}, ['sender', 'transactionBlockKindBytes']],
    ['a short sender', '/sponsor', { sender: '0x12', transactionBlockKindBytes: 'A'.repeat(16) }, ['sender']],
    [
      'no bytes',
      '/sponsor',
      { sender: someone, transactionBlockKindBytes: '' },
      ['transactionBlockKindBytes'],
    ],
    [
      'too many bytes',
      '/sponsor',
      { sender: someone, transactionBlockKindBytes: base64(7_001) },
      ['transactionBlockKindBytes'],
    ],
    [
      'neither digest nor signature',
      '/sponsor/execute',
      { digest: 'short', signature: 'x' },
      ['digest', 'signature'],
    ],
    [
      'a signature without its key',
      '/sponsor/execute',
      { digest: '1'.repeat(44), signature: base64(64) },
      ['signature'],
    ],
    ['a body that is not JSON', '/sponsor', '{not json', ['']],
  ])('names the invalid field for %s', async (_what, path, body, fields) => {
    const answer = await post(relayer, path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const paths = answer.body.details.issues.map((issue: { path: string }) => issue.path);
    expect(new Set(paths)).toEqual(new Set(fields));
  });

  test.each(['/sponsor', '/sponsor/execute'])(
    'accepts only JSON on %s, and no page of another origin',
    async (path) => {
      const send = async (headers: Record<string, string>): Promise<unknown[]> => {
        const response = await fetch(relayer.url + path, {
          method: 'POST',
          headers,
          body: Buffer.from('{}'),
        });
        const { error, request_id } = (await response.json()) as { error: string; request_id: string };
        expect(request_id).toBe(response.headers.get('x-request-id'));
        return [response.status, error];
      };
      const types = ['text/plain', 'text/plain; application/json', 'application/x-www-form-urlencoded'];
      for (const type of types)
        expect(await send({ 'content-type': type })).toEqual([415, 'unsupported_media_type']);
      expect(await send({})).toEqual([415, 'unsupported_media_type']);
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1'])
        expect(await send({ 'content-type': 'application/json', origin })).toEqual([403, 'foreign_origin']);
      expect(await send({ 'content-type': 'Application/JSON; charset=utf-8' })).toEqual([
        400,
        'invalid_request',
      ]);
    },
  );

  test.each([
    ['/sponsor', 10],
    ['/sponsor/execute', 4],
  ])('accepts at most %i KiB on %s', async (path, kib) => {
    const answer = await post(relayer, path, ' '.repeat(kib * 1024 + 1));
    expect(answer).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    expect(await post(relayer, path, ' '.repeat(kib * 1024))).toMatchObject({ status: 400 });
  });
});

describe('without a sponsor', () => {
  test('reports it; with the fallback, the server wallet pays', async () => {
    const [owner, server] = [newTestKey(), newTestKey()];
    await askFaucet(network.chainUrl, server.address);
    const before = await coins(server);
    const request = {
      sender: owner.address,
      transactionBlockKindBytes: await kindOf(newAccount(newTestKey())),
    };
    const environment = {
      SERVER_CHAIN_PRIVATE_KEY: server.privateKey,
      SPONSOR_RATE_LIMIT_PER_MINUTE: 'off',
      SPONSOR_RATE_LIMIT_PER_HOUR: 'off',
    };
    const plain = await startTestRelayer(network, { ...backend, environment });
    try {
      expect(await post(plain, '/sponsor', request)).toMatchObject({
        status: 503,
        retryAfter: null,
        body: { error: 'sponsor_unconfigured' },
      });
    } finally {
      await plain.stop();
    }
    const paying = await startTestRelayer(network, {
      ...backend,
      environment: { ...environment, SPONSOR_FALLBACK_TO_DIRECT_SIGN: 'true' },
    });
    try {
      await run(paying, owner, newAccount(newTestKey()));
      expect(await coins(owner)).toBe(0n);
      expect(await coins(server)).toBeLessThan(before);
      expect(
        await post(paying, '/sponsor', { ...request, transactionBlockKindBytes: await kindOf(payment()) }),
      ).toMatchObject({ status: 400, body: { error: 'unsponsorable_transaction' } });
    } finally {
      await paying.stop();
    }
  });
});

describe('a failing sponsor', () => {
  let sponsor: Server;
  let relayer: TestRelayer;
  let answer: { status: number; body: string };
  beforeAll(async () => {
    sponsor = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => sponsor.listen(0, '127.0.0.1', resolve));
    relayer = await startTestRelayer(network, {
      ...backend,
      environment: {
        SPONSOR_API_URL: `http://127.0.0.1:${(sponsor.address() as AddressInfo).port}/v1`,
        SPONSOR_API_KEY: 'a-key',
        TRUSTED_PROXY_HOPS: '1',
      },
    });
  });
  afterAll(async () => {
    await relayer.stop();
    sponsor.close();
  });

  const secret = 'internal-text-of-the-sponsor';
  const errors = (code: string) => JSON.stringify({ errors: [{ code, message: secret }] });

  test.each([
    [429, errors('too_many'), 503, 'sponsor_unavailable'],
    [401, errors('unauthorized'), 502, 'sponsor_failed'],
    [403, errors('forbidden'), 502, 'sponsor_failed'],
    [500, secret, 502, 'sponsor_failed'],
    [200, secret, 502, 'sponsor_failed'],
    [200, '{}', 502, 'sponsor_failed'],
    [400, errors('dry_run_failed'), 400, 'sponsor_rejected'],
    [400, errors('expired'), 400, 'sponsor_rejected'],
    [422, secret, 400, 'sponsor_rejected'],
  ])('%i with %s becomes %i %s, in our own words', async (status, body, ours, error) => {
    answer = { status, body };
    const request = {
      sender: newTestKey().address,
      transactionBlockKindBytes: await kindOf(newAccount(newTestKey())),
    };
    const given = await post(relayer, '/sponsor', request, `10.0.${status >> 8}.${status & 255}`);
    expect(given).toMatchObject({ status: ours, body: { error } });
    expect(JSON.stringify(given.body)).not.toContain(secret);
    expect(given.retryAfter === null).toBe(ours !== 503);
  });

  test('rate-limits an IP address, and a sender regardless of its IP address', async () => {
    answer = { status: 500, body: '' };
    const kind = await kindOf(newAccount(newTestKey()));
    const ask = (address: string, sender: string) =>
      post(relayer, '/sponsor', { sender, transactionBlockKindBytes: kind }, address);
    for (let i = 0; i < 10; i++)
      expect(await ask('192.0.2.1', newTestKey().address)).toMatchObject({ status: 502 });
    const limited = await ask('192.0.2.1', newTestKey().address);
    expect(limited).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(limited.retryAfter)).toBeGreaterThan(0);
    expect(Number(limited.retryAfter)).toBeLessThanOrEqual(60);

    const sender = newTestKey().address;
    for (let i = 0; i < 10; i++) expect(await ask(`192.0.3.${i}`, sender)).toMatchObject({ status: 502 });
    const shouted = sender.toUpperCase().replace('0X', '0x');
    expect(await ask('192.0.3.99', shouted)).toMatchObject({ status: 429 });
    expect(await ask('192.0.3.99', newTestKey().address)).toMatchObject({ status: 502 });
  });
});
