import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecryptSession } from '../src/seal/decrypt-session.ts';
import type { UnwrapItem, UnwrapResult } from '../src/seal/seal-tasks.ts';
import { x25519PublicKey } from '../src/seal/x25519.ts';
import { identityOf, refOf, type SealWorld, startSealWorld, type TestAccount, tagOf } from './seal-world.ts';

let world: SealWorld;
let owner: Ed25519Keypair;
let account: TestAccount;
let item: UnwrapItem;

beforeAll(async () => {
  world = await startSealWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  owner = new Ed25519Keypair();
  account = world.createAccount(owner);
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

/** `ok`, or why not. */
async function outcome(signer: Ed25519Keypair, items = [item], of = account): Promise<string[]> {
  return (await open(signer, items, of)).map((result) => (result.ok ? 'ok' : result.reason));
}

describe('who may unwrap', () => {
  it('the owner gets the private key of the wrapped pair', async () => {
    const [result] = await open(owner);
    if (!result?.ok) throw new Error(result?.message);
    expect(x25519PublicKey(result.privateKey)).toEqual(item.recipientPk);
  });

  it('a delegate, until it is removed; and never a stranger', async () => {
    const delegate = world.addDelegate(owner, account);
    expect(await outcome(delegate)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);

    world.call(owner, 'remove_delegate_key', account, delegate.getPublicKey().toRawBytes());
    world.unwrapper.dropAccount(account.id);
    expect(await outcome(delegate)).toEqual(['denied']);
  });

  it('no stranger, even right after the owner and with the same wrap', async () => {
    expect(await outcome(owner)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);
    expect(await outcome(owner)).toEqual(['ok']);
    expect(await outcome(new Ed25519Keypair())).toEqual(['denied']);
  });

  it('neither owner nor delegate of another account, through that account or this one', async () => {
    const attacker = new Ed25519Keypair();
    const own = world.createAccount(attacker);
    const helper = world.addDelegate(attacker, own);
    expect(await outcome(owner)).toEqual(['ok']);
    for (const reader of [attacker, helper]) {
      expect(await outcome(reader, [item], own)).toEqual(['denied']);
      expect(await outcome(reader, [item], account)).toEqual(['denied']);
    }
  });

  it('only within the tags, the epochs and the time of the scope', async () => {
    const other = await wrapFor(identityOf(account, tagOf(2)));
    const tagged = world.addDelegate(owner, account, { all_namespaces: false, tags: [tagOf(2)] });
    expect(await outcome(tagged, [item, other])).toEqual(['denied', 'ok']);
    const none = world.addDelegate(owner, account, { all_namespaces: false });
    expect(await outcome(none, [item, other])).toEqual(['denied', 'denied']);
    const later = world.addDelegate(owner, account, { min_epoch: 1n });
    expect(await outcome(later)).toEqual(['denied']);
    const writer = world.addDelegate(owner, account, { perms: 2 });
    expect(await outcome(writer)).toEqual(['denied']);
    const temporary = world.addDelegate(owner, account, { expires_at_ms: BigInt(Date.now()) + 60_000n });
    expect(await outcome(temporary)).toEqual(['ok']);
    world.unwrapper.dropAccount(account.id);
    world.state.nowMs = () => Date.now() + 61_000;
    expect(await outcome(temporary)).toEqual(['denied']);
    world.state.nowMs = () => Date.now();
  });

  it('nobody while the account is inactive', async () => {
    world.call(owner, 'deactivate_account', account);
    expect(await outcome(owner)).toEqual(['denied']);
  });

  it('nobody a future epoch, and both epochs after the bump', async () => {
    const next = await wrapFor(identityOf(account, tagOf(1), 1n));
    expect(await outcome(owner, [item, next])).toEqual(['ok', 'denied']);
    world.call(owner, 'rotate_key_epoch', account);
    expect(await outcome(owner, [item, next])).toEqual(['ok', 'ok']);
  });
});

describe('batches', () => {
  it('one refusal does not cost the others, and the order stays', async () => {
    const items = await Promise.all([1, 2, 3, 4, 5].map((tag) => wrapFor(identityOf(account, tagOf(tag)))));
    const delegate = world.addDelegate(owner, account, {
      all_namespaces: false,
      tags: [1, 2, 4, 5].map((tag) => tagOf(tag)),
    });
    const results = await open(delegate, items);
    expect(results.map((result) => result.ok)).toEqual([true, true, false, true, true]);
    expect(results.map((result) => result.ok && x25519PublicKey(result.privateKey))).toEqual(
      items.map(({ recipientPk }, i) => i !== 2 && recipientPk),
    );
  });

  it('twenty identities in one call', async () => {
    const wraps = Array.from({ length: 20 }, (_, i) => wrapFor(identityOf(account, tagOf(i + 1))));
    expect(await outcome(owner, await Promise.all(wraps))).toEqual(Array(20).fill('ok'));
  });

  it('a historical server set, beside the current one', async () => {
    const old = await world.wrap(item.identity, { current: world.oneOfTwo, all: [world.oneOfTwo] });
    expect(old.serverSet).not.toBe(world.twoOfTwo.id);
    expect(await outcome(owner, [item, { identity: item.identity, ...old }])).toEqual(['ok', 'ok']);
  });

  it('a view of a large buffer is enough', async () => {
    const large = Buffer.alloc(1 << 20);
    large.set(item.wrap, 500_000);
    const wrap = large.subarray(500_000, 500_000 + item.wrap.length);
    expect(await outcome(owner, [{ ...item, wrap }])).toEqual(['ok']);
  });
});

describe('the cache of a session', () => {
  it('answers again without the key servers, with a key of its own for each caller', async () => {
    const [first] = await open(owner);
    const before = world.state.requests;
    if (first?.ok) first.privateKey.fill(0);
    const [second] = await open(owner);
    expect(world.state.requests).toBe(before);
    expect(second?.ok && x25519PublicKey(second.privateKey)).toEqual(item.recipientPk);
  });

  it('is asked for once by parallel callers', async () => {
    const before = world.state.requests;
    const session = await sessionOf(owner);
    const all = Array.from({ length: 5 }, () => world.unwrapper.unwrapKeys(session, refOf(account), [item]));
    expect((await Promise.all(all)).map(([result]) => result?.ok)).toEqual(Array(5).fill(true));
    expect(world.state.requests - before).toBe(2);
  });

  it('is gone after dropAccount, also what was on its way', async () => {
    const other = world.createAccount(owner);
    const session = await sessionOf(owner);
    const kept = await wrapFor(identityOf(other));
    await world.unwrapper.unwrapKeys(session, refOf(other), [kept]);
    const onItsWay = world.unwrapper.unwrapKeys(session, refOf(account), [item]);
    world.unwrapper.dropAccount(account.id.toUpperCase().replace('0X', '0x'));
    expect((await onItsWay)[0]?.ok).toBe(true);

    const before = world.state.requests;
    await world.unwrapper.unwrapKeys(session, refOf(other), [kept]);
    expect(world.state.requests).toBe(before);
    await world.unwrapper.unwrapKeys(session, refOf(account), [item]);
    expect(world.state.requests - before).toBe(2);
  });
});

describe('faults are not refusals', () => {
  it('one of two servers down: unavailable, and served again when it is back', async () => {
    world.state.down.add('/key/1');
    expect(await outcome(owner)).toEqual(['unavailable']);
    world.state.down.clear();
    expect(await outcome(owner)).toEqual(['ok']);
  });

  it('one of two servers down is enough for threshold 1', async () => {
    const old = await world.wrap(item.identity, { current: world.oneOfTwo, all: [world.oneOfTwo] });
    world.state.down.add('/key/0');
    expect(await outcome(owner, [{ identity: item.identity, ...old }])).toEqual(['ok']);
    world.state.down.clear();
  });

  it('an account object that the key servers do not know yet', async () => {
    const unknown = { ...account, id: `0x${'f'.repeat(64)}` };
    expect(await outcome(owner, [item], unknown)).toEqual(['unavailable']);
  });
});
