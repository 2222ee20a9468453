import { fullScope } from '@memrelay/chain/account-bcs';
import type { AccountObject } from '@memrelay/chain/account-reader';
import {
  deactivateAccount,
  reactivateAccount,
  removeDelegateKey,
  rotateKeyEpoch,
  setDelegateScope,
} from '@memrelay/chain/account-transactions';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { rawPublicKey } from '../src/base/raw-public-key.ts';
import type { DecryptSession } from '../src/seal/decrypt-session.ts';
import type { UnwrapItem, UnwrapResult } from '../src/seal/seal-tasks.ts';
import { describeKey, identityOf, refOf, type SealWorld, startSealWorld, tagOf } from './seal-world.ts';

let world: SealWorld;
let owner: Ed25519Keypair;
let account: AccountObject;
let item: UnwrapItem;

beforeAll(async () => {
  world = await startSealWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  owner = new Ed25519Keypair();
  account = await world.createAccount(owner);
  item = await wrapFor();
});

async function wrapFor(identity = identityOf(account)): Promise<UnwrapItem> {
  return { identity, ...(await world.wrap(identity)) };
}

function sessionOf(signer: Ed25519Keypair): Promise<DecryptSession> {
  return world.sessions.fromPrivateKey(signer.getSecretKey());
}

async function open(signer: Ed25519Keypair, items = [item], of = account): Promise<UnwrapResult[]> {
  return world.unwrapper.unwrapKeys(await sessionOf(signer), refOf(of), items);
}

/** `ok` or the reason of the failure, for each item. */
async function outcome(signer: Ed25519Keypair, items = [item], of = account): Promise<string[]> {
  return (await open(signer, items, of)).map((result) => (result.ok ? 'ok' : result.reason));
}

describe('access to private keys', () => {
  it('is given to the owner for the wrapped pair', async () => {
    const [result] = await open(owner);
    if (!result?.ok) throw new Error(result?.message);
    expect(rawPublicKey('x25519', result.privateKey)).toEqual(item.recipientPk);
  });

  it('is given to a delegate until its removal, and never to a stranger', async () => {
    const delegate = await world.addDelegate(owner, account);
    expect(await outcome(delegate)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);

    const { publicKey } = describeKey(delegate);
    await world.submit(owner, account, removeDelegateKey(world.packageId, account.account.id, publicKey));
    expect(await outcome(delegate)).toEqual(['denied']);
  });

  it('is not given to a stranger, even right after the owner and with the same wrap', async () => {
    expect(await outcome(owner)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);
    expect(await outcome(owner)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);
  });

  it('is not given to owner or delegate of another account, through that account or this one', async () => {
    const attacker = new Ed25519Keypair();
    const own = await world.createAccount(attacker);
    const helper = await world.addDelegate(attacker, own);
    expect(await outcome(owner)).toEqual(['ok']);
    for (const reader of [attacker, helper]) {
      expect(await outcome(reader, [item], own)).toEqual(['denied']);
      expect(await outcome(reader, [item], account)).toEqual(['denied']);
    }
  });

  it('is limited to the tags, the epochs and the rights of the scope', async () => {
    const other = await wrapFor(identityOf(account, tagOf(2)));
    const tagged = await world.addDelegate(owner, account, { all_namespaces: false, tags: [tagOf(2)] });
    expect(await outcome(tagged, [item, other])).toEqual(['denied', 'ok']);
    const none = await world.addDelegate(owner, account, { all_namespaces: false });
    expect(await outcome(none, [item, other])).toEqual(['denied', 'denied']);
    const later = await world.addDelegate(owner, account, { min_epoch: 1n });
    expect(await outcome(later)).toEqual(['denied']);
    const writer = await world.addDelegate(owner, account, { perms: 2 });
    expect(await outcome(writer)).toEqual(['denied']);
  });

  it('ends with the scope', async () => {
    const temporary = await world.addDelegate(owner, account, { expires_at_ms: BigInt(Date.now()) + 4000n });
    expect(await outcome(temporary)).toEqual(['ok']);
    await vi.waitFor(
      async () => {
        world.unwrapper.dropAccount(account.account.id);
        expect(await outcome(temporary)).toEqual(['denied']);
      },
      { timeout: 20_000, interval: 500 },
    );
  });

  it('is limited to the rest of a scope after it was narrowed', async () => {
    const other = await wrapFor(identityOf(account, tagOf(2)));
    const delegate = await world.addDelegate(owner, account);
    expect(await outcome(delegate, [item, other])).toEqual(['ok', 'ok']);
    const scope = { ...fullScope, all_namespaces: false, tags: [tagOf(2)] };
    const { id } = account.account;
    await world.submit(owner, account, setDelegateScope(world.packageId, id, delegate.toSuiAddress(), scope));
    expect(await outcome(delegate, [item, other])).toEqual(['denied', 'ok']);
  });

  it('is given to no one while the account is inactive', async () => {
    const { id } = account.account;
    await world.submit(owner, account, deactivateAccount(world.packageId, id));
    expect(await outcome(owner)).toEqual(['denied']);
    await world.submit(owner, account, reactivateAccount(world.packageId, id));
    expect(await outcome(owner)).toEqual(['ok']);
  });

  it('is denied for a future epoch, and allowed for both epochs after the bump', async () => {
    const next = await wrapFor(identityOf(account, tagOf(1), 1n));
    expect(await outcome(owner, [item, next])).toEqual(['ok', 'denied']);
    await world.submit(owner, account, rotateKeyEpoch(world.packageId, account.account.id));
    expect(await outcome(owner, [item, next])).toEqual(['ok', 'ok']);
  });
});

describe('batches', () => {
  it('keeps the order, and one rejection does not affect the other items', async () => {
    const items = await Promise.all([1, 2, 3, 4, 5].map((tag) => wrapFor(identityOf(account, tagOf(tag)))));
    const delegate = await world.addDelegate(owner, account, {
      all_namespaces: false,
      tags: [1, 2, 4, 5].map((tag) => tagOf(tag)),
    });
    const results = await open(delegate, items);
    expect(results.map((result) => result.ok)).toEqual([true, true, false, true, true]);
    expect(results.map((result) => result.ok && rawPublicKey('x25519', result.privateKey))).toEqual(
      items.map(({ recipientPk }, i) => i !== 2 && recipientPk),
    );
  });

  it('twenty identities in one call', async () => {
    const wraps = Array.from({ length: 20 }, (_, i) => wrapFor(identityOf(account, tagOf(i + 1))));
    expect(await outcome(owner, await Promise.all(wraps))).toEqual(Array(20).fill('ok'));
  });

  it('a historical server set together with the current one', async () => {
    const old = await world.wrap(item.identity, { current: world.oneOfTwo, all: [world.oneOfTwo] });
    expect(old.serverSet).not.toBe(world.twoOfTwo.id);
    expect(await outcome(owner, [item, { identity: item.identity, ...old }])).toEqual(['ok', 'ok']);
  });

  it('accepts a view of a large buffer', async () => {
    const large = Buffer.alloc(1 << 20);
    large.set(item.wrap, 500_000);
    const wrap = large.subarray(500_000, 500_000 + item.wrap.length);
    expect(await outcome(owner, [{ ...item, wrap }])).toEqual(['ok']);
  });
});

describe('the cache of a session', () => {
  it('serves repeated requests without the key servers, with a separate copy for each caller', async () => {
    const [first] = await open(owner);
    const before = world.proxy.faults.requests;
    if (first?.ok) first.privateKey.fill(0);
    const [second] = await open(owner);
    expect(world.proxy.faults.requests).toBe(before);
    expect(second?.ok && rawPublicKey('x25519', second.privateKey)).toEqual(item.recipientPk);
  });

  it('is filled once for parallel callers', async () => {
    const before = world.proxy.faults.requests;
    const session = await sessionOf(owner);
    const all = Array.from({ length: 5 }, () => world.unwrapper.unwrapKeys(session, refOf(account), [item]));
    expect((await Promise.all(all)).map(([result]) => result?.ok)).toEqual(Array(5).fill(true));
    expect(world.proxy.faults.requests - before).toBe(2);
  });

  it('is cleared by dropAccount, including running requests, but not for other accounts', async () => {
    const neighbour = new Ed25519Keypair();
    const other = await world.createAccount(neighbour);
    const kept = await wrapFor(identityOf(other));
    expect(await outcome(neighbour, [kept], other)).toEqual(['ok']);
    const onItsWay = outcome(owner);
    // At this point the request has been sent but not answered.
    await sessionOf(owner);
    world.unwrapper.dropAccount(account.account.id.toUpperCase().replace('0X', '0x'));
    expect(await onItsWay).toEqual(['ok']);

    const before = world.proxy.faults.requests;
    expect(await outcome(neighbour, [kept], other)).toEqual(['ok']);
    expect(world.proxy.faults.requests).toBe(before);
    expect(await outcome(owner)).toEqual(['ok']);
    expect(world.proxy.faults.requests - before).toBe(2);
  });
});

describe('faults are not treated as rejections', () => {
  it('with one of two servers down keys are unavailable, and are served again when it is back', async () => {
    world.proxy.faults.down.add('/key/1');
    expect(await outcome(owner)).toEqual(['unavailable']);
    world.proxy.faults.down.clear();
    expect(await outcome(owner)).toEqual(['ok']);
  });

  it('one of two servers down is enough for threshold 1', async () => {
    const old = await world.wrap(item.identity, { current: world.oneOfTwo, all: [world.oneOfTwo] });
    world.proxy.faults.down.add('/key/0');
    expect(await outcome(owner, [{ identity: item.identity, ...old }])).toEqual(['ok']);
    world.proxy.faults.down.clear();
  });

  it('wrong keys of one of two servers make keys unavailable, and with threshold 1 the other server is enough', async () => {
    const old = await world.wrap(item.identity, { current: world.oneOfTwo, all: [world.oneOfTwo] });
    for (const server of ['/key/0', '/key/1']) {
      world.proxy.faults.lying.add(server);
      expect(await outcome(owner)).toEqual(['unavailable']);
      expect(await outcome(owner, [{ identity: item.identity, ...old }])).toEqual(['ok']);
      world.unwrapper.clear();
      world.proxy.faults.lying.clear();
    }
    expect(await outcome(owner)).toEqual(['ok']);
  });

  it('an account object that the key servers do not know yet', async () => {
    const unknown = { ...account, account: { ...account.account, id: `0x${'f'.repeat(64)}` } };
    expect(await outcome(owner, [item], unknown)).toEqual(['unavailable']);
  });
});
