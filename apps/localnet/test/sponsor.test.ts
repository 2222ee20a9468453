import { createAccount } from '@memrelay/chain/account-transactions';
import { EnokiClient, EnokiClientError } from '@mysten/enoki';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balanceOf, type ChainWorld, startWorld } from './chain-world.ts';
import { counterPackage } from './counter-module.ts';

let nowMs = Date.now();
let world: ChainWorld;
let enoki: EnokiClient;
const target = `${counterPackage}::counter::create_shared`;

beforeAll(async () => {
  world = await startWorld('http binary', { now: () => nowMs });
  enoki = clientWith(world.network.sponsorApiKey);
});
afterAll(() => world.close());

function clientWith(apiKey: string): EnokiClient {
  return new EnokiClient({ apiKey, apiUrl: `${world.localnet!.url}/sponsor` });
}

async function kindOf(build: (tx: Transaction) => void): Promise<string> {
  const tx = new Transaction();
  build(tx);
  return toBase64(await tx.build({ client: world.client, onlyTransactionKind: true }));
}

/** Sponsors, signs as the sender, executes. */
async function run(sender: Ed25519Keypair, kind: string, options: object = {}): Promise<string> {
  const { bytes, digest } = await enoki.createSponsoredTransaction({
    network: 'testnet',
    transactionKindBytes: kind,
    sender: sender.toSuiAddress(),
    ...options,
  });
  const { signature } = await sender.signTransaction(fromBase64(bytes));
  return (await enoki.executeSponsoredTransaction({ digest, signature })).digest;
}

async function refused(work: Promise<unknown>): Promise<{ status: number; code: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EnokiClientError);
  const { status, errors } = error as EnokiClientError;
  return { status, code: errors[0]!.code };
}

test('the sponsor pays for the account of a user without coins', async () => {
  const owner = new Ed25519Keypair();
  const delegate = new Ed25519Keypair();
  const { accountPackageId, registryId } = world.network.ids;
  const tx = createAccount(accountPackageId, registryId, {
    publicKey: Buffer.from(delegate.getPublicKey().toRawBytes()).toString('hex'),
    address: delegate.toSuiAddress(),
    label: 'laptop',
  });
  const kind = toBase64(await tx.build({ client: world.client, onlyTransactionKind: true }));
  const digest = await run(owner, kind);
  const { transaction } = (
    await world.client.ledgerService.getTransaction({ digest, readMask: { paths: ['*'] } })
  ).response;
  expect(transaction?.effects?.status?.success).toBe(true);
  expect(transaction?.transaction?.sender).toBe(owner.toSuiAddress());
  expect(transaction?.transaction?.gasPayment?.owner).toBe(world.network.sponsor.address);
  expect(await balanceOf(world, owner.toSuiAddress())).toBe(0n);
});

test('ten concurrent senders do not wait for each other’s coins', async () => {
  const kind = await kindOf((tx) => tx.moveCall({ target }));
  const digests = await Promise.all(Array.from({ length: 10 }, () => run(new Ed25519Keypair(), kind)));
  expect(new Set(digests).size).toBe(10);
});

test('each sponsored transaction is executed once', async () => {
  const sender = new Ed25519Keypair();
  const kind = await kindOf((tx) => tx.moveCall({ target }));
  const { bytes, digest } = await enoki.createSponsoredTransaction({
    network: 'testnet',
    transactionKindBytes: kind,
    sender: sender.toSuiAddress(),
  });
  const { signature } = await sender.signTransaction(fromBase64(bytes));
  const foreign = (await new Ed25519Keypair().signTransaction(fromBase64(bytes))).signature;
  expect(await refused(enoki.executeSponsoredTransaction({ digest, signature: foreign }))).toEqual({
    status: 400,
    code: 'invalid_signature',
  });
  await enoki.executeSponsoredTransaction({ digest, signature });
  expect(await refused(enoki.executeSponsoredTransaction({ digest, signature }))).toEqual({
    status: 404,
    code: 'not_found',
  });
});

test('a sponsored transaction expires if it is not executed in time', async () => {
  const sender = new Ed25519Keypair();
  const { bytes, digest } = await enoki.createSponsoredTransaction({
    network: 'testnet',
    transactionKindBytes: await kindOf((tx) => tx.moveCall({ target })),
    sender: sender.toSuiAddress(),
  });
  const { signature } = await sender.signTransaction(fromBase64(bytes));
  nowMs += 61_000;
  expect(await refused(enoki.executeSponsoredTransaction({ digest, signature }))).toEqual({
    status: 400,
    code: 'expired',
  });
});

test('rejects, at no cost, a transaction that would fail, is not allowed or spends the gas coin', async () => {
  const sender = new Ed25519Keypair();
  const plain = await kindOf((tx) => tx.moveCall({ target }));
  const before = await balanceOf(world, world.network.sponsor.address);
  const failing = await kindOf((tx) => tx.moveCall({ target: `${counterPackage}::counter::no_such` }));
  const spending = await kindOf((tx) => tx.transferObjects([tx.gas], sender.toSuiAddress()));
  const notAllowed = { allowedMoveCallTargets: [`${counterPackage}::counter::other`] };
  expect(await refused(run(sender, failing))).toMatchObject({ status: 400, code: 'dry_run_failed' });
  expect(await refused(run(sender, spending))).toMatchObject({ status: 400, code: 'not_allowed' });
  expect(await refused(run(sender, plain, notAllowed))).toMatchObject({ status: 400, code: 'not_allowed' });
  expect(await refused(run(sender, toBase64(Uint8Array.of(9, 9, 9))))).toMatchObject({ status: 400 });
  await run(sender, plain, { allowedMoveCallTargets: [target] });
  expect(await balanceOf(world, world.network.sponsor.address)).toBe(before - 1_000_000n);
});

test('rejects requests without the API key', async () => {
  const kind = await kindOf((tx) => tx.moveCall({ target }));
  const call = clientWith('another').createSponsoredTransaction({
    network: 'testnet',
    transactionKindBytes: kind,
    sender: new Ed25519Keypair().toSuiAddress(),
  });
  expect(await refused(call)).toEqual({ status: 401, code: 'unauthorized' });
});
