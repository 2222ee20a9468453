import { bcs } from '@mysten/sui/bcs';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  balanceOf,
  type ChainWorld,
  created,
  fundedKey,
  gasCost,
  gift,
  send,
  startWorld,
} from './chain-world.ts';
import { counterPackage, counterType } from './counter-module.ts';

const stranger = `0x${'cd'.repeat(32)}`;
const add = `${counterPackage}::counter::add`;

let world: ChainWorld;
let key: Ed25519Keypair;
beforeAll(async () => {
  world = await startWorld('in process');
});
beforeEach(async () => {
  key = await fundedKey(world);
});
afterAll(() => world.close());

/** Builds a transaction without a node, so that nothing is checked beforehand, signs it and sends it. */
async function sendBlind(build: (tx: Transaction) => void, changes: { budget?: number } = {}) {
  const { objects } = await world.client.listCoins({ owner: key.toSuiAddress() });
  const tx = new Transaction();
  tx.setSender(key.toSuiAddress());
  tx.setGasPayment(objects.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
  tx.setGasPrice(1000);
  tx.setGasBudget(changes.budget ?? 5_000_000);
  build(tx);
  return world.client.signAndExecuteTransaction({ transaction: await tx.build(), signer: key });
}

async function sharedCounter(): Promise<string> {
  const result = await send(world, key, (tx) => {
    tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
  });
  return created(result, counterType)[0]!;
}

async function sharedRef(objectId: string, mutable: boolean) {
  const { object } = await world.client.getObject({ objectId });
  const { initialSharedVersion } = (object.owner as { Shared: { initialSharedVersion: string } }).Shared;
  return Inputs.SharedObjectRef({ objectId, initialSharedVersion, mutable });
}

describe('failing transactions cost gas and change nothing else', () => {
  test.each<[string, string, (tx: Transaction) => void]>([
    [
      'spending more than the coin holds after the budget',
      'Insufficient coin balance',
      (tx) => {
        tx.transferObjects([tx.splitCoins(tx.gas, [gift - 4_000_000n])], stranger);
      },
    ],
    ['a value that no command consumes', 'not used', (tx) => void tx.splitCoins(tx.gas, [1])],
    [
      'a value used twice',
      'InvalidValueUsage',
      (tx) => {
        const [coin] = tx.splitCoins(tx.gas, [1]);
        tx.transferObjects([coin!], stranger);
        tx.transferObjects([coin!], stranger);
      },
    ],
    [
      'merging the gas coin into another coin',
      'InvalidGasCoinUsage',
      (tx) => {
        const [coin] = tx.splitCoins(tx.gas, [1]);
        tx.mergeCoins(coin!, [tx.gas]);
        tx.transferObjects([coin!], stranger);
      },
    ],
    ['a missing function', 'Function not found', (tx) => void tx.moveCall({ target: '0x2::coin::mint' })],
    ['too few arguments', 'takes 2 arguments', (tx) => void tx.moveCall({ target: add })],
    [
      'too many type arguments',
      'type arguments',
      (tx) =>
        void tx.moveCall({ target: `${counterPackage}::counter::create_shared`, typeArguments: ['u8'] }),
    ],
    ['publishing', 'not supported', (tx) => void tx.publish({ modules: [[1]], dependencies: [] })],
    [
      'an amount with trailing bytes',
      'InvalidBCSBytes',
      (tx) => {
        tx.transferObjects([tx.splitCoins(tx.gas, [tx.pure(new Uint8Array(9))])], stranger);
      },
    ],
    [
      'an object of another type',
      'TypeMismatch',
      (tx) => void tx.moveCall({ target: add, arguments: [tx.gas, tx.pure.u64(1)] }),
    ],
    [
      'bytes where an object belongs',
      'InvalidUsageOfPureArg',
      (tx) => void tx.moveCall({ target: add, arguments: [tx.pure.u64(1), tx.pure.u64(1)] }),
    ],
  ])('%s', async (_name, reason, build) => {
    const result = await sendBlind(build);
    expect(result.FailedTransaction?.status.error?.message).toContain(reason);
    expect(await balanceOf(world, key.toSuiAddress())).toBe(gift - gasCost);
    expect(await balanceOf(world, stranger)).toBe(0n);
  });

  test('changing a shared object that is passed read-only', async () => {
    const input = await sharedRef(await sharedCounter(), false);
    const result = await sendBlind((tx) => {
      tx.moveCall({ target: add, arguments: [tx.object(input), tx.pure.u64(1)] });
    });
    expect(result.FailedTransaction?.status.error?.message).toContain('InvalidObjectByMutRef');
  });

  test('transferring a shared object, or one that only its module may transfer', async () => {
    const input = await sharedRef(await sharedCounter(), true);
    const shared = await sendBlind((tx) => void tx.transferObjects([tx.object(input)], stranger));
    expect(shared.FailedTransaction?.status.error?.message).toContain('InvalidObjectByValue');
    const registry = await sharedRef(world.network.ids.registryId, true);
    const clock = Inputs.SharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false });
    const account = await sendBlind((tx) => {
      const made = tx.moveCall({
        target: `${world.network.ids.accountPackageId}::account::new_account`,
        arguments: [tx.object(registry), tx.object(clock)],
      });
      tx.transferObjects([made], stranger);
    });
    expect(account.FailedTransaction?.status.error?.message).toContain('store ability');
  });
});

describe('transactions that are rejected before execution', () => {
  test('a wrong initial shared version, or a shared object passed as an owned one', async () => {
    const objectId = await sharedCounter();
    const wrong = Inputs.SharedObjectRef({ objectId, initialSharedVersion: 999, mutable: true });
    await expect(
      sendBlind((tx) => void tx.moveCall({ target: add, arguments: [tx.object(wrong), tx.pure.u64(1)] })),
    ).rejects.toThrow(/became shared/);
    const { object } = await world.client.getObject({ objectId });
    const owned = Inputs.ObjectRef({ objectId, version: object.version, digest: object.digest });
    await expect(
      sendBlind((tx) => void tx.moveCall({ target: add, arguments: [tx.object(owned), tx.pure.u64(1)] })),
    ).rejects.toThrow(/is shared/);
  });

  test('a gas coin that is also an input', async () => {
    const { objects } = await world.client.listCoins({ owner: key.toSuiAddress() });
    const [{ objectId, version, digest }] = objects as [(typeof objects)[number]];
    await expect(
      sendBlind(
        (tx) =>
          void tx.transferObjects([tx.object(Inputs.ObjectRef({ objectId, version, digest }))], stranger),
      ),
    ).rejects.toThrow(/used twice/);
  });

  test("another owner's coin as payment", async () => {
    const victim = await fundedKey(world);
    const { objects } = await world.client.listCoins({ owner: victim.toSuiAddress() });
    await expect(
      sendBlind((tx) => {
        tx.setGasPayment(objects.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
        tx.transferObjects([tx.gas], stranger);
      }),
    ).rejects.toThrow(/is owned by/);
    expect(await balanceOf(world, victim.toSuiAddress())).toBe(gift);
  });

  test('a budget below the cost or above the coins', async () => {
    const nothing = (tx: Transaction) =>
      void tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    await expect(sendBlind(nothing, { budget: 1 })).rejects.toThrow(/budget/);
    await expect(sendBlind(nothing, { budget: Number(gift) + 1 })).rejects.toThrow(
      /lower than the needed amount/,
    );
  });

  test('an expired transaction, or one bound to another chain', async () => {
    const call = (tx: Transaction) =>
      void tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    await expect(
      sendBlind((tx) => {
        tx.setExpiration({ Epoch: 0 });
        call(tx);
      }),
    ).rejects.toThrow(/Expired/);
    const bounds = { minEpoch: '1', maxEpoch: '2', minTimestamp: null, maxTimestamp: null, nonce: 1 };
    await expect(
      sendBlind((tx) => {
        tx.setExpiration({
          ValidDuring: { ...bounds, chain: '4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S' },
        });
        call(tx);
      }),
    ).rejects.toThrow(/another chain/);
  });

  test('a non-canonical encoding', async () => {
    const transaction = new Transaction();
    transaction.setSender(key.toSuiAddress());
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], stranger);
    const bytes = await transaction.build({ client: world.client });
    const longer = new Uint8Array([...bytes, 0]);
    const { signature } = await key.signTransaction(longer);
    await expect(
      world.client.executeTransaction({ transaction: longer, signatures: [signature] }),
    ).rejects.toThrow(/canonical/);
  });

  test('bytes that are not a transaction', async () => {
    const garbage = bcs.string().serialize('nothing').toBytes();
    await expect(world.client.executeTransaction({ transaction: garbage, signatures: [] })).rejects.toThrow(
      /valid/,
    );
  });
});
