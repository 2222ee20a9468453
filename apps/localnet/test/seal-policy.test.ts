import { fullScope, type Scope } from '@memrelay/chain/account-bcs';
import {
  acceptOwner,
  addDelegateKeyScoped,
  createAccount,
  deactivateAccount,
  offerOwner,
  pruneExpired,
  removeDelegateKey,
  rotateKeyEpoch,
  setDelegateScope,
} from '@memrelay/chain/account-transactions';
import { delegateAddress, delegateProofMessage } from '@memrelay/chain/delegate-key';
import { encodeSealIdentity } from '@memrelay/chain/seal-identity';
import { toHex } from '@memrelay/protocol/bytes';
import { NoAccessError, SealClient, SessionKey } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainWorld, created, fundedKey, startWorld } from './chain-world.ts';

/**
 * The account's rules from an attacker's perspective: requests to the key servers with the unmodified Seal client.
 */

const tag = new Uint8Array(16).fill(5);
const otherTag = new Uint8Array(16).fill(6);
const denied = NoAccessError;

let world: ChainWorld;
let packageId: string;
let nowMs = Date.now();
beforeAll(async () => {
  world = await startWorld('http binary', { now: () => nowMs });
  packageId = world.network.ids.accountPackageId;
});
afterAll(() => world.close());

interface Owned {
  owner: Ed25519Keypair;
  account: string;
  initialSharedVersion: string;
}

async function run(signer: Ed25519Keypair, transaction: Transaction) {
  const include = { effects: true, objectTypes: true } as const;
  const result = await world.client.signAndExecuteTransaction({ transaction, signer, include });
  if (!result.Transaction) throw new Error('the transaction failed');
  return result.Transaction;
}

async function newAccount(): Promise<Owned> {
  const owner = await fundedKey(world);
  const result = await run(owner, createAccount(packageId, world.network.ids.registryId));
  const account = created(result as never, `${packageId}::account::Account`)[0]!;
  const { object } = await world.client.getObject({ objectId: account });
  const { initialSharedVersion } = (object.owner as { Shared: { initialSharedVersion: string } }).Shared;
  return { owner, account, initialSharedVersion };
}

async function newDelegate(
  { owner, account }: Owned,
  scope: Partial<Scope> = {},
  key = new Ed25519Keypair(),
) {
  const publicKey = key.getPublicKey().toRawBytes();
  const delegate = {
    publicKey: toHex(publicKey),
    address: delegateAddress(publicKey),
    label: 'test',
    scope: { ...fullScope, ...scope },
    proof: await key.sign(delegateProofMessage(account)),
  };
  await run(owner, addDelegateKeyScoped(packageId, account, delegate));
  return { key, ...delegate };
}

function identity({ owner }: Owned, { epoch = 0n, namespace = tag } = {}): Uint8Array {
  return encodeSealIdentity({ origin: owner.toSuiAddress(), tag: namespace, epoch });
}

/** Requests the key of an identity from both key servers; with a new client each time, because it caches results. */
async function fetchKey(
  reader: Ed25519Keypair,
  on: Owned,
  id: Uint8Array,
  withClock = true,
): Promise<'served'> {
  const address = reader.toSuiAddress();
  const suiClient = world.client;
  const sessionKey = await SessionKey.create({ address, packageId, ttlMin: 5, signer: reader, suiClient });
  const tx = new Transaction();
  const { account: objectId, initialSharedVersion } = on;
  const account = tx.sharedObjectRef({ objectId, initialSharedVersion, mutable: false });
  const clock = tx.sharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false });
  tx.moveCall({
    target: `${packageId}::account::${withClock ? 'seal_approve_at' : 'seal_approve'}`,
    arguments: [tx.pure.vector('u8', id), account, ...(withClock ? [clock] : [])],
  });
  const { keyServers, threshold } = world.localnet!.info;
  const serverConfigs = keyServers.map((server) => ({ objectId: server.objectId, weight: server.weight }));
  const client = new SealClient({ suiClient, serverConfigs, verifyKeyServers: false });
  const txBytes = await tx.build({ onlyTransactionKind: true });
  await client.fetchKeys({ ids: [toHex(id)], txBytes, sessionKey, threshold });
  return 'served';
}

test('owner and delegates are approved; delegates that expire need a clock', async () => {
  const home = await newAccount();
  const lasting = await newDelegate(home);
  const ending = await newDelegate(home, { expires_at_ms: BigInt(nowMs + 60_000) });
  for (const withClock of [true, false]) {
    expect(await fetchKey(home.owner, home, identity(home), withClock)).toBe('served');
    expect(await fetchKey(lasting.key, home, identity(home), withClock)).toBe('served');
  }
  expect(await fetchKey(ending.key, home, identity(home))).toBe('served');
  await expect(fetchKey(ending.key, home, identity(home), false)).rejects.toThrow(denied);
  nowMs += 60_000;
  await expect(fetchKey(ending.key, home, identity(home))).rejects.toThrow(denied);
});

test('owner and delegate of another account, on either account', async () => {
  const [home, other] = [await newAccount(), await newAccount()];
  const { key } = await newDelegate(other);
  for (const reader of [other.owner, key]) {
    await expect(fetchKey(reader, home, identity(home))).rejects.toThrow(denied);
    await expect(fetchKey(reader, other, identity(home))).rejects.toThrow(denied);
  }
});

test('identities of a wrong shape, and of future epochs', async () => {
  const home = await newAccount();
  const { key } = await newDelegate(home);
  const whole = identity(home);
  const shapes = [
    whole.subarray(0, 32),
    whole.subarray(0, 55),
    new Uint8Array([...whole, 0]),
    // The origin is at the end instead of the beginning.
    new Uint8Array([...whole.subarray(32), ...whole.subarray(0, 32)]),
    identity(home, { epoch: 1n }),
    identity(home, { epoch: 0xffff_ffff_ffff_ffffn }),
  ];
  for (const id of shapes) {
    for (const reader of [home.owner, key]) {
      await expect(fetchKey(reader, home, id)).rejects.toThrow(denied);
    }
  }
});

test('namespaces outside the scope', async () => {
  const home = await newAccount();
  const limited = await newDelegate(home, { all_namespaces: false, tags: [tag] });
  expect(await fetchKey(limited.key, home, identity(home))).toBe('served');
  await expect(fetchKey(limited.key, home, identity(home, { namespace: otherTag }))).rejects.toThrow(denied);
  const none = await newDelegate(home, { all_namespaces: false });
  await expect(fetchKey(none.key, home, identity(home))).rejects.toThrow(denied);
  const writer = await newDelegate(home, { perms: 6 });
  await expect(fetchKey(writer.key, home, identity(home))).rejects.toThrow(denied);
  const late = await newDelegate(home, { min_epoch: 1n });
  await expect(fetchKey(late.key, home, identity(home))).rejects.toThrow(denied);
});

test('a key that was removed and added again has only its new scope', async () => {
  const home = await newAccount();
  const before = await newDelegate(home);
  await run(home.owner, removeDelegateKey(packageId, home.account, before.publicKey));
  await expect(fetchKey(before.key, home, identity(home))).rejects.toThrow(denied);
  await newDelegate(home, { all_namespaces: false, tags: [otherTag] }, before.key);
  await expect(fetchKey(before.key, home, identity(home))).rejects.toThrow(denied);
  expect(await fetchKey(before.key, home, identity(home, { namespace: otherTag }))).toBe('served');
});

test('no one reads from an inactive account, not even its owner', async () => {
  const home = await newAccount();
  const { key } = await newDelegate(home);
  await run(home.owner, deactivateAccount(packageId, home.account));
  for (const reader of [home.owner, key]) {
    await expect(fetchKey(reader, home, identity(home))).rejects.toThrow(denied);
  }
});

type Delegate = Awaited<ReturnType<typeof newDelegate>>;

describe('the epoch after a narrowing is inaccessible before it and, for keys that lost access, after it', () => {
  const earlier = () => BigInt(nowMs + 1000);
  test.each<[string, (home: Owned, delegate: Delegate) => Promise<unknown>]>([
    [
      'removed',
      (home, { publicKey }) => run(home.owner, removeDelegateKey(packageId, home.account, publicKey)),
    ],
    [
      'scope shrunk',
      (home, { address }) =>
        run(home.owner, setDelegateScope(packageId, home.account, address, { ...fullScope, perms: 6 })),
    ],
    [
      'earlier end, and past it',
      async (home, { address }) => {
        const scope = { ...fullScope, expires_at_ms: earlier() };
        await run(home.owner, setDelegateScope(packageId, home.account, address, scope));
        nowMs += 1000;
      },
    ],
    ['account frozen', (home) => run(home.owner, deactivateAccount(packageId, home.account))],
    [
      'account passed on',
      async (home) => {
        const heir = await fundedKey(world);
        await run(home.owner, offerOwner(packageId, home.account, heir.toSuiAddress()));
        await run(heir, acceptOwner(packageId, home.account));
      },
    ],
  ])('%s', async (_name, narrow) => {
    const home = await newAccount();
    const delegate = await newDelegate(home);
    const next = identity(home, { epoch: 1n });
    expect(await fetchKey(delegate.key, home, identity(home))).toBe('served');
    await expect(fetchKey(delegate.key, home, next)).rejects.toThrow(denied);
    await narrow(home, delegate);
    await expect(fetchKey(delegate.key, home, next)).rejects.toThrow(denied);
    await expect(fetchKey(delegate.key, home, identity(home))).rejects.toThrow(denied);
  });

  test('expired and pruned by a stranger; rotated', async () => {
    const home = await newAccount();
    const delegate = await newDelegate(home, { expires_at_ms: BigInt(nowMs + 1000) });
    nowMs += 1000;
    await run(await fundedKey(world), pruneExpired(packageId, home.account));
    await expect(fetchKey(delegate.key, home, identity(home, { epoch: 1n }))).rejects.toThrow(denied);
    expect(await fetchKey(home.owner, home, identity(home, { epoch: 1n }))).toBe('served');
    await expect(fetchKey(home.owner, home, identity(home, { epoch: 2n }))).rejects.toThrow(denied);
    await run(home.owner, rotateKeyEpoch(packageId, home.account));
    expect(await fetchKey(home.owner, home, identity(home, { epoch: 2n }))).toBe('served');
  });
});
