import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fullScope } from '@memrelay/chain/account-bcs';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { newTestKey, type TestKey } from '../../src/test-owner.ts';

/**
 * Tests the operations of an account's owner through the SDK's account entry. Transactions are sponsored except in tests of
 * payments.
 */

let world: RelayerWorld;
beforeAll(async () => {
  world = await RelayerWorld.create({
    environment: async ({ chainUrl, paths }) => ({
      SPONSOR_API_URL: `${chainUrl}/sponsor`,
      SPONSOR_API_KEY: (await readFile(join(paths.localnet, 'sponsor.key'), 'utf8')).trim(),
      STORE_EPOCHS: '5',
      SPONSOR_RATE_LIMIT_PER_MINUTE: 'off',
      SPONSOR_RATE_LIMIT_PER_HOUR: 'off',
    }),
    owners: 0,
  });
});
afterAll(() => world?.close());

const ownerOf = (wallet = newTestKey(), more: object = {}): Promise<AccountOwner> =>
  AccountOwner.connect({ serverUrl: world.relayer.url, signer: parsePrivateKey(wallet.privateKey), ...more });
const labelled = (key: TestKey, label = 'laptop') => ({
  publicKey: key.publicKey,
  address: key.address,
  label,
});
const clientOf = (accountId: string, key: TestKey): MemRelay =>
  MemRelay.create({ key: key.privateKey, accountId, serverUrl: world.relayer.url });
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const hex = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('hex');

test('creates an account, shows it, and adds and removes delegates without a coin', async () => {
  const owner = await ownerOf();
  expect(await owner.findAccount()).toBeUndefined();
  const [laptop, phone] = [newTestKey(), newTestKey()];
  const { accountId, paidBy } = await owner.createAccount(labelled(laptop));
  expect(paidBy).toBe('sponsor');
  expect(await owner.findAccount()).toBe(accountId);
  const client = clientOf(accountId, laptop);
  await client.rememberAndWait('the laptop stores this');

  await owner.addDelegate(accountId, labelled(phone, 'phone'));
  const other = clientOf(accountId, phone);
  await expect
    .poll(
      () =>
        other.account().then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  expect((await other.recall('what is stored?')).results[0]?.text).toBe('the laptop stores this');

  const before = await owner.readAccount(accountId);
  expect(before.delegate_keys.map(({ label }) => label)).toEqual(['laptop', 'phone']);
  await owner.removeDelegate(accountId, laptop.publicKey);
  const after = await owner.readAccount(accountId);
  expect(after.delegate_keys.map(({ public_key }) => hex(public_key))).toEqual([phone.publicKey]);
  expect(after.key_epoch).toBe(before.key_epoch + 1n);
  await expect
    .poll(
      () =>
        client.account().then(
          () => 'served',
          ({ code }) => code,
        ),
      { timeout: 10_000 },
    )
    .toBe('unknown_delegate_key');
  client.destroy();
  other.destroy();
});

test("requires a scoped delegate's consent, and limits its reads to the scope", async () => {
  const owner = await ownerOf();
  const { accountId } = await owner.createAccount();
  const reader = newTestKey();
  const scope = { ...fullScope, perms: 1 };
  const consent = await parsePrivateKey(reader.privateKey).sign(delegateProofMessage(accountId));
  const stranger = await new Ed25519Keypair().sign(delegateProofMessage(accountId));
  const adding = { ...labelled(reader, 'reader'), scope };
  await expect(owner.addDelegate(accountId, { ...adding, proof: stranger })).rejects.toMatchObject({
    abort: { code: 15 },
  });
  await owner.addDelegate(accountId, { ...adding, proof: consent });
  const client = clientOf(accountId, reader);
  await expect(client.remember('a reader must not write')).rejects.toMatchObject({
    code: 'insufficient_scope',
  });
  client.destroy();
});

test('transfers an account only after the new owner accepts, and removes its delegates', async () => {
  const [owner, heir, other] = await Promise.all([ownerOf(), ownerOf(), ownerOf()]);
  const { accountId } = await owner.createAccount(labelled(newTestKey()));
  await owner.offerOwner(accountId, heir.address);
  await expect(other.acceptOwner(accountId)).rejects.toBeInstanceOf(ChainRejectedError);
  expect((await owner.readAccount(accountId)).owner).toBe(owner.address);
  await heir.acceptOwner(accountId);
  const account = await heir.readAccount(accountId);
  expect(account).toMatchObject({ owner: heir.address, origin: owner.address, delegate_keys: [] });
  await expect(owner.rotateKeyEpoch(accountId)).rejects.toBeInstanceOf(ChainRejectedError);
});

test('lists, extends and deletes many blobs in one transaction', async () => {
  const wallet = newTestKey();
  const owner = await ownerOf(wallet);
  const delegate = newTestKey();
  const { accountId } = await owner.createAccount(labelled(delegate));
  const client = clientOf(accountId, delegate);
  const texts = Array.from({ length: 33 }, (_, i) => ({ text: `memory number ${i}` }));
  const { jobIds } = await client.rememberBulk(texts);
  await client.waitForJobs(jobIds);
  client.destroy();
  const blobs = await collect(owner.blobs());
  expect(blobs).toHaveLength(33);
  expect(blobs.every(({ certified, deletable }) => certified && deletable)).toBe(true);

  const ids = blobs.map(({ objectId }) => objectId);
  const counts = async (work: AsyncGenerator<{ count: number }>) =>
    (await collect(work)).map(({ count }) => count);
  await expect(counts(owner.extendBlobs(ids, 1))).rejects.toThrow(/no WAL/);
  expect(await counts(owner.deleteBlobs(ids))).toEqual([30, 3]);
  expect(await collect(owner.blobs())).toEqual([]);
});

test('pays from a wallet with coins when there is no sponsor, and extends its blobs with its own WAL', async () => {
  const wallet = newTestKey();
  await askFaucet(world.network.chainUrl, wallet.address);
  const owner = await ownerOf(wallet, { sponsored: false });
  const delegate = newTestKey();
  const { accountId, paidBy } = await owner.createAccount(labelled(delegate));
  expect(paidBy).toBe('wallet');
  const client = clientOf(accountId, delegate);
  const job = await client.remember('to be kept for longer');
  await client.waitForJobs([job.jobId]);
  client.destroy();
  const [blob] = await collect(owner.blobs());
  expect(await collect(owner.extendBlobs([blob!.objectId], 3))).toMatchObject([
    { count: 1, paidBy: 'wallet' },
  ]);
  const [longer] = await collect(owner.blobs());
  expect(longer).toEqual({ ...blob, endEpoch: blob!.endEpoch + 3 });
});

test('rejects a relayer that names another package', async () => {
  await expect(ownerOf(newTestKey(), { packageId: `0x${'12'.repeat(32)}` })).rejects.toMatchObject({
    code: 'package_mismatch',
  });
});
