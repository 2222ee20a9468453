import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  balanceOf,
  type ChainWorld,
  fundedKey,
  gasCost,
  gift,
  startWorld,
  transports,
} from './chain-world.ts';
import { counterPackage } from './counter-module.ts';

const recipient = `0x${'ab'.repeat(32)}`;

describe.each(transports)('signers over %s', (transport) => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await startWorld(transport);
  });
  afterAll(() => world.close());

  test('wrong, missing and foreign signatures are rejected', async () => {
    const key = await fundedKey(world);
    const thief = new Ed25519Keypair();
    const tx = new Transaction();
    tx.setSender(key.toSuiAddress());
    tx.transferObjects([tx.gas], thief.toSuiAddress());
    const transaction = await tx.build({ client: world.client });
    const good = (await key.signTransaction(transaction)).signature;
    const foreign = (await thief.signTransaction(transaction)).signature;
    const message = (await key.signPersonalMessage(transaction)).signature;
    for (const signatures of [[], [foreign], [message], [good, foreign], ['AAAA']]) {
      await expect(world.client.executeTransaction({ transaction, signatures })).rejects.toThrow(
        /signature/i,
      );
    }
    expect(await balanceOf(world, key.toSuiAddress())).toBe(gift);
  });

  test('a sponsored transaction requires both signatures and takes gas only from the sponsor', async () => {
    const sponsor = await fundedKey(world);
    const sender = new Ed25519Keypair();
    const kind = new Transaction();
    kind.moveCall({ target: `${counterPackage}::counter::create_shared` });
    const kindBytes = await kind.build({ client: world.client, onlyTransactionKind: true });
    const tx = Transaction.fromKind(kindBytes);
    tx.setSender(sender.toSuiAddress());
    tx.setGasOwner(sponsor.toSuiAddress());
    const transaction = await tx.build({ client: world.client });
    const bySender = (await sender.signTransaction(transaction)).signature;
    const bySponsor = (await sponsor.signTransaction(transaction)).signature;
    await expect(world.client.executeTransaction({ transaction, signatures: [bySender] })).rejects.toThrow(
      /signatures/,
    );
    await expect(world.client.executeTransaction({ transaction, signatures: [bySponsor] })).rejects.toThrow(
      /signatures/,
    );
    const result = await world.client.executeTransaction({ transaction, signatures: [bySender, bySponsor] });
    expect(result.$kind).toBe('Transaction');
    expect(await balanceOf(world, sponsor.toSuiAddress())).toBe(gift - gasCost);
  });

  test('a transaction without gas coins is bound to this chain and epoch, and the gas owner pays', async () => {
    const sponsor = await fundedKey(world);
    const sender = new Ed25519Keypair();
    const tx = new Transaction();
    tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    tx.setSender(sender.toSuiAddress());
    tx.setGasOwner(sponsor.toSuiAddress());
    tx.setGasPayment([]);
    tx.setGasPrice(1000);
    tx.setGasBudget(5_000_000);
    const transaction = await tx.build({ client: world.client });
    const signatures = await Promise.all(
      [sender, sponsor].map(async (key) => (await key.signTransaction(transaction)).signature),
    );
    expect((await world.client.executeTransaction({ transaction, signatures })).$kind).toBe('Transaction');
    expect(await balanceOf(world, sponsor.toSuiAddress())).toBe(gift - gasCost);

    const unbound = new Transaction();
    unbound.moveCall({ target: `${counterPackage}::counter::create_shared` });
    unbound.setSender(sponsor.toSuiAddress());
    unbound.setGasPayment([]);
    unbound.setGasPrice(1000);
    unbound.setGasBudget(5_000_000);
    unbound.setExpiration({ Epoch: 5 });
    const bytes = await unbound.build({ client: world.client });
    const { signature } = await sponsor.signTransaction(bytes);
    await expect(
      world.client.executeTransaction({ transaction: bytes, signatures: [signature] }),
    ).rejects.toThrow(/ValidDuring/);
  });
});

describe('signatures of other schemes', () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await startWorld('in process');
  });
  afterAll(() => world.close());

  test.each([
    ['secp256k1', () => new Secp256k1Keypair()],
    ['secp256r1', () => new Secp256r1Keypair()],
  ])('%s', async (_name, make) => {
    const key = make();
    await world.network.faucet.give(key.toSuiAddress());
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], recipient);
    const result = await world.client.signAndExecuteTransaction({ transaction, signer: key });
    expect(result.$kind).toBe('Transaction');
  });

  test('multisig: two of three signatures are accepted, one is not', async () => {
    const keys = [new Ed25519Keypair(), new Secp256k1Keypair(), new Ed25519Keypair()];
    const multisig = MultiSigPublicKey.fromPublicKeys({
      threshold: 2,
      publicKeys: keys.map((key) => ({ publicKey: key.getPublicKey(), weight: 1 })),
    });
    await world.network.faucet.give(multisig.toSuiAddress());
    const tx = new Transaction();
    tx.setSender(multisig.toSuiAddress());
    tx.transferObjects([tx.splitCoins(tx.gas, [1])], recipient);
    const transaction = await tx.build({ client: world.client });
    const parts = await Promise.all(
      keys.slice(0, 2).map(async (key) => (await key.signTransaction(transaction)).signature),
    );
    const one = multisig.combinePartialSignatures(parts.slice(0, 1));
    await expect(world.client.executeTransaction({ transaction, signatures: [one] })).rejects.toThrow(
      /signature/,
    );
    const two = multisig.combinePartialSignatures(parts);
    expect((await world.client.executeTransaction({ transaction, signatures: [two] })).$kind).toBe(
      'Transaction',
    );
  });
});
