import { Transaction } from '@mysten/sui/transactions';
import { describe, expect, it } from 'vitest';
import { acceptOwner, createAccount, removeDelegateKey } from '../src/account-transactions.ts';
import { sponsoredTargets, UnsponsorableError } from '../src/sponsored-kind.ts';

const id = (byte: string): string => `0x${byte.repeat(32)}`;
const policy = { packageId: id('a1'), walrusPackageId: id('b2') };
const sender = id('5e');
const stranger = id('66');

/** Objects as resolved inputs, so that a transaction can be built without a chain. */
const owned = (tx: Transaction, objectId = id('0b')) =>
  tx.object({
    $kind: 'Object',
    Object: {
      $kind: 'ImmOrOwnedObject',
      ImmOrOwnedObject: { objectId, version: '1', digest: '11111111111111111111111111111111' },
    },
  });
const shared = (tx: Transaction, objectId = id('5a')) =>
  tx.object({
    $kind: 'Object',
    Object: { $kind: 'SharedObject', SharedObject: { objectId, initialSharedVersion: '1', mutable: true } },
  });

async function kindOf(build: (tx: Transaction) => void): Promise<Uint8Array> {
  const tx = new Transaction();
  build(tx);
  return tx.build({ onlyTransactionKind: true });
}

function deletion(tx: Transaction, recipient: string): void {
  const storage = tx.moveCall({
    target: `${policy.walrusPackageId}::system::delete_blob`,
    arguments: [shared(tx), owned(tx)],
  });
  tx.transferObjects([storage], recipient);
}

describe('the sponsor pays for', () => {
  it('deleting own blobs, with the refund going to the sender', async () => {
    const kind = await kindOf((tx) => {
      deletion(tx, sender);
      deletion(tx, sender);
    });
    expect(sponsoredTargets(kind, sender, policy)).toEqual([
      `${policy.walrusPackageId}::system::delete_blob`,
    ]);
  });

  it('extending own blobs with own coins', async () => {
    const kind = await kindOf((tx) => {
      tx.moveCall({
        target: `${policy.walrusPackageId}::system::extend_blob`,
        arguments: [shared(tx), owned(tx, id('01')), tx.pure.u32(3), owned(tx, id('02'))],
      });
    });
    expect(sponsoredTargets(kind, sender, policy)).toHaveLength(1);
  });

  it('every change of an account that this package offers', async () => {
    const delegate = { publicKey: 'ab'.repeat(32), address: stranger, label: 'laptop' };
    for (const tx of [
      createAccount(policy.packageId, id('7e'), delegate),
      removeDelegateKey(policy.packageId, id('acc0'.slice(0, 2)), delegate.publicKey),
      acceptOwner(policy.packageId, id('ac')),
    ]) {
      // Resolving ids would need a chain, so the inputs are replaced by shared objects
      const data = tx.getData();
      data.inputs = data.inputs.map((input) =>
        input.$kind === 'UnresolvedObject'
          ? {
              $kind: 'Object',
              Object: {
                $kind: 'SharedObject',
                SharedObject: {
                  objectId: input.UnresolvedObject.objectId,
                  initialSharedVersion: '1',
                  mutable: true,
                },
              },
            }
          : input,
      );
      const kind = await Transaction.from(JSON.stringify(data)).build({ onlyTransactionKind: true });
      expect(sponsoredTargets(kind, sender, policy).length).toBeGreaterThan(0);
    }
  });
});

describe('the sponsor does not pay for', () => {
  const refusals: [string, (tx: Transaction) => void][] = [
    ['nothing at all', () => undefined],
    ['a payment', (tx) => tx.transferObjects([tx.splitCoins(tx.gas, [1])], stranger)],
    ['the gas coin itself', (tx) => tx.transferObjects([tx.gas], sender)],
    ['coins split for nothing', (tx) => tx.splitCoins(owned(tx), [1, 2, 3])],
    ['coins merged', (tx) => tx.mergeCoins(owned(tx, id('01')), [owned(tx, id('02'))])],
    ['an own object sent away', (tx) => tx.transferObjects([owned(tx)], sender)],
    ['a deletion whose storage goes to another address', (tx) => deletion(tx, stranger)],
    [
      'another call besides a deletion',
      (tx) => {
        deletion(tx, sender);
        tx.moveCall({ target: `${stranger}::game::play` });
      },
    ],
    ['another package', (tx) => tx.moveCall({ target: `${stranger}::account::create_account` })],
    ['another module', (tx) => tx.moveCall({ target: `${policy.packageId}::keys::new` })],
    ['seal_approve', (tx) => tx.moveCall({ target: `${policy.packageId}::account::seal_approve` })],
    ['storing blobs', (tx) => tx.moveCall({ target: `${policy.walrusPackageId}::system::register_blob` })],
    [
      'the gas coin as the coin that pays for an extension',
      (tx) =>
        tx.moveCall({
          target: `${policy.walrusPackageId}::system::extend_blob`,
          arguments: [shared(tx), owned(tx), tx.pure.u32(1), tx.gas],
        }),
    ],
    ['a package to publish', (tx) => tx.publish({ modules: [[1]], dependencies: [id('01')] })],
    ['a vector', (tx) => tx.makeMoveVec({ type: 'u64', elements: [tx.pure.u64(1)] })],
    [
      'more than 64 commands',
      (tx) => {
        for (let i = 0; i < 65; i++) tx.moveCall({ target: `${policy.packageId}::account::create_account` });
      },
    ],
  ];

  it.each(refusals)('%s', async (_what, build) => {
    const kind = await kindOf(build);
    expect(() => sponsoredTargets(kind, sender, policy)).toThrow(UnsponsorableError);
  });

  it('bytes that are not a kind, have a tail, or are a system transaction', async () => {
    const kind = await kindOf((tx) => deletion(tx, sender));
    const changeEpoch = Buffer.concat([Buffer.of(1), Buffer.alloc(64)]);
    for (const bytes of [
      new Uint8Array(),
      Buffer.from('hello world'),
      Buffer.concat([kind, kind]),
      changeEpoch,
    ])
      expect(() => sponsoredTargets(bytes, sender, policy)).toThrow(UnsponsorableError);
  });
});
