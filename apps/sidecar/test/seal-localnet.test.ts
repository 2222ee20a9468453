import { fullScope } from '@memrelay/chain/account-bcs';
import { type AccountObject, readAccount } from '@memrelay/chain/account-reader';
import {
  addDelegateKey,
  createAccount,
  deactivateAccount,
  reactivateAccount,
  removeDelegateKey,
  rotateKeyEpoch,
  setDelegateScope,
} from '@memrelay/chain/account-transactions';
import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { encodeSealIdentity } from '@memrelay/chain/seal-identity';
import { createLocalnet, type Localnet } from '@memrelay/localnet/localnet';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Transaction } from '@mysten/sui/transactions';
import { toHex } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KeyServerDirectory } from '../src/seal/key-server-directory.ts';
import { SealPool } from '../src/seal/seal-pool.ts';
import type { UnwrapItem } from '../src/seal/seal-tasks.ts';
import { makeServerSet, makeServerSets, type ServerSets } from '../src/seal/server-sets.ts';
import { createSessionMaker } from '../src/seal/session-maker.ts';
import { KeyUnwrapper } from '../src/seal/unwrap-keys.ts';
import { wrapNewKey } from '../src/seal/wrap-key.ts';
import { x25519PublicKey } from '../src/seal/x25519.ts';
import { logger, network, tagOf } from './seal-world.ts';

/** The same client side against the whole network: real transactions, real objects, real gRPC reads. */
let localnet: Localnet;
let info: LocalnetInfo;
let chain: ChainClient;
let sets: ServerSets;
let directory: KeyServerDirectory;
let unwrapper: KeyUnwrapper;
const pool = new SealPool({ logger, threads: 2 });
const clock = { aheadMs: 0 };

const owner = new Ed25519Keypair();
const delegate = new Ed25519Keypair();
let account: AccountObject;

beforeAll(async () => {
  localnet = await createLocalnet({ port: 0, now: () => Date.now() + clock.aheadMs });
  info = localnet.info();
  chain = createChainClient({ network: 'localnet', baseUrl: localnet.url });
  const servers = info.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  sets = makeServerSets(makeServerSet({ servers, threshold: info.threshold }));
  directory = new KeyServerDirectory({ client: chain.sui, packageId: info.packageId, logger });
  unwrapper = new KeyUnwrapper({ directory, pool, sets, network, logger });
  account = await newAccount(owner);
  await submit(addDelegateKey(info.packageId, account.account.id, described(delegate)));
});
afterAll(async () => {
  unwrapper?.clear();
  await Promise.all([pool.close(), localnet?.close()]);
});

function described(key: Ed25519Keypair) {
  const publicKey = toHex(key.getPublicKey().toRawBytes());
  return { publicKey, address: key.toSuiAddress(), label: 'test' };
}

async function newAccount(signer: Ed25519Keypair): Promise<AccountObject> {
  await localnet.network.faucet.give(signer.toSuiAddress());
  const created = await executeTransaction(chain, createAccount(info.packageId, info.registryId), signer);
  const id = createdAccountId(created, info.packageId);
  return (await readAccount(chain, info.packageId, id))!;
}

/** The owner's transaction; afterwards the account's cached keys are dropped, as its event would do. */
async function submit(transaction: Transaction): Promise<void> {
  await executeTransaction(chain, transaction, owner);
  unwrapper.dropAccount(account.account.id);
}

async function wrapFor(tag: Uint8Array, epoch: bigint, of = account): Promise<UnwrapItem> {
  const identity = encodeSealIdentity({ origin: of.account.origin, tag, epoch });
  return { identity, ...(await wrapNewKey(identity, { directory, pool, sets })) };
}

async function outcome(signer: Ed25519Keypair, items: UnwrapItem[], through = account): Promise<string[]> {
  const session = await createSessionMaker({ packageId: info.packageId }).fromPrivateKey(
    signer.getSecretKey(),
  );
  const ref = { objectId: through.account.id, initialSharedVersion: through.initialSharedVersion };
  const results = await unwrapper.unwrapKeys(session, ref, items);
  results.forEach((result, i) => {
    if (result.ok) expect(x25519PublicKey(result.privateKey)).toEqual(items[i]!.recipientPk);
  });
  return results.map((result) => (result.ok ? 'ok' : result.reason));
}

it('finds the key servers on chain, with proofs and the public keys that they really have', async () => {
  const snapshot = await directory.snapshot(sets.current);
  await pool.verifyKeyServers({ snapshot, network });
  expect((await directory.pins(sets.current)).map((pin) => pin.publicKey)).toEqual(
    localnet.network.keyServers.servers.map(({ publicKey }) => toHex(publicKey)),
  );
});

it('serves owner and delegate, and neither strangers nor people of other accounts', async () => {
  const item = await wrapFor(tagOf(1), 0n);
  expect(await outcome(owner, [item])).toEqual(['ok']);
  expect(await outcome(delegate, [item])).toEqual(['ok']);
  expect(await outcome(new Ed25519Keypair(), [item])).toEqual(['denied']);

  const attacker = new Ed25519Keypair();
  const own = await newAccount(attacker);
  expect(await outcome(attacker, [item], own)).toEqual(['denied']);
  expect(await outcome(attacker, [item])).toEqual(['denied']);
});

it('obeys scopes, epochs and expiry as they change on chain', async () => {
  const { packageId } = info;
  const { id } = account.account;
  const items = [await wrapFor(tagOf(1), 0n), await wrapFor(tagOf(2), 0n), await wrapFor(tagOf(2), 1n)];
  expect(await outcome(delegate, items)).toEqual(['ok', 'ok', 'denied']);

  // Narrowing a scope bumps the epoch, so the keys of epoch 1 open.
  const tagged = { ...fullScope, all_namespaces: false, tags: [tagOf(2)] };
  await submit(setDelegateScope(packageId, id, delegate.toSuiAddress(), tagged));
  expect(await outcome(delegate, items)).toEqual(['denied', 'ok', 'ok']);
  expect(await outcome(owner, items)).toEqual(['ok', 'ok', 'ok']);

  const soon = { ...tagged, expires_at_ms: BigInt(Date.now()) + 3_600_000n };
  await submit(setDelegateScope(packageId, id, delegate.toSuiAddress(), soon));
  expect(await outcome(delegate, items)).toEqual(['denied', 'ok', 'ok']);
  clock.aheadMs = 3_600_000;
  unwrapper.dropAccount(id);
  expect(await outcome(delegate, items)).toEqual(['denied', 'denied', 'denied']);
  clock.aheadMs = 0;
});

it('follows rotation, removal and deactivation', async () => {
  const { packageId } = info;
  const { id } = account.account;
  const epoch = (await readAccount(chain, packageId, id))!.account.key_epoch;
  const next = [await wrapFor(tagOf(3), epoch + 1n)];
  expect(await outcome(owner, next)).toEqual(['denied']);
  await submit(rotateKeyEpoch(packageId, id));
  expect(await outcome(owner, next)).toEqual(['ok']);

  const helper = new Ed25519Keypair();
  await submit(addDelegateKey(packageId, id, described(helper)));
  expect(await outcome(helper, next)).toEqual(['ok']);
  await submit(removeDelegateKey(packageId, id, described(helper).publicKey));
  expect(await outcome(helper, next)).toEqual(['denied']);

  await submit(deactivateAccount(packageId, id));
  expect(await outcome(owner, next)).toEqual(['denied']);
  await submit(reactivateAccount(packageId, id));
  expect(await outcome(owner, next)).toEqual(['ok']);
});
