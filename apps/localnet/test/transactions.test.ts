import { bcs } from '@mysten/sui/bcs';
import { GrpcStatusCode, RpcError } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { coinWithBalance, Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  balanceOf,
  type ChainWorld,
  created,
  fundedKey,
  gasCost,
  gift,
  send,
  startWorld,
  transports,
} from './chain-world.ts';
import { counterPackage, counterType, nothingToAdd } from './counter-module.ts';

const recipient = `0x${'ab'.repeat(32)}`;

describe.each(transports)('transactions over %s', (transport) => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await startWorld(transport);
  });
  afterAll(() => world.close());

  test('the faucet gives SUI and WAL', async () => {
    const owner = (await fundedKey(world)).toSuiAddress();
    expect(await balanceOf(world, owner)).toBe(gift);
    expect(await balanceOf(world, owner, world.network.ids.walType)).toBe(gift);
    const { balances } = await world.client.listBalances({ owner });
    expect(balances.map(({ balance }) => BigInt(balance))).toEqual([gift, gift]);
  });

  test('split, merge and transfer move the amounts, and gas is charged', async () => {
    const key = await fundedKey(world);
    const sender = key.toSuiAddress();
    const to = new Ed25519Keypair().toSuiAddress();
    const result = await send(world, key, (tx) => {
      const [a, b, c] = tx.splitCoins(tx.gas, [100, 20, 3]);
      tx.mergeCoins(a!, [b!]);
      tx.transferObjects([a!, c!], to);
    });
    const { objects } = await world.client.listCoins({ owner: to });
    expect(objects.map((coin) => Number(coin.balance)).sort((a, b) => a - b)).toEqual([3, 120]);
    expect(await balanceOf(world, sender)).toBe(gift - 123n - gasCost);
    expect(result.balanceChanges).toContainEqual(
      expect.objectContaining({ address: sender, amount: (-123n - gasCost).toString() }),
    );
    expect(BigInt(result.effects.gasUsed.computationCost)).toBe(gasCost);
  });

  test('the whole gas coin can be transferred', async () => {
    const key = await fundedKey(world);
    const to = new Ed25519Keypair().toSuiAddress();
    await send(world, key, (tx) => tx.transferObjects([tx.gas], to));
    expect(await balanceOf(world, to)).toBe(gift - gasCost);
    expect(await balanceOf(world, key.toSuiAddress())).toBe(0n);
  });

  test('coinWithBalance finds WAL coins and destroys an empty remainder', async () => {
    const key = await fundedKey(world);
    const type = world.network.ids.walType;
    await send(world, key, (tx) => tx.transferObjects([coinWithBalance({ type, balance: gift })], recipient));
    expect(await balanceOf(world, key.toSuiAddress(), type)).toBe(0n);
  });

  test('results can be used in later commands, and vectors of coins and numbers can be created', async () => {
    const key = await fundedKey(world);
    const sender = key.toSuiAddress();
    await send(world, key, (tx) => {
      const [target, ...parts] = tx.splitCoins(tx.gas, [1, 2, 3]);
      const vector = tx.makeMoveVec({ elements: parts });
      const typeArguments = ['0x2::sui::SUI'];
      tx.moveCall({ target: '0x2::pay::join_vec', typeArguments, arguments: [target!, vector] });
      tx.makeMoveVec({ type: 'u64', elements: [tx.pure.u64(1), tx.pure.u64(2)] });
      tx.transferObjects([target!], sender);
    });
    const { objects } = await world.client.listCoins({ owner: sender });
    expect(objects.map((coin) => coin.balance)).toContain('6');
  });

  test('a stale object is rejected, and a rebuilt transaction succeeds', async () => {
    const key = await fundedKey(world);
    const build = async (amount: number) => {
      const tx = new Transaction();
      tx.setSender(key.toSuiAddress());
      tx.transferObjects([tx.splitCoins(tx.gas, [amount])], recipient);
      return tx.build({ client: world.client });
    };
    const first = await build(1);
    const second = await build(2);
    const execute = async (transaction: Uint8Array) =>
      world.client.executeTransaction({
        transaction,
        signatures: [(await key.signTransaction(transaction)).signature],
      });
    await execute(first);
    const error = await execute(second).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect((error as RpcError).code).toBe(GrpcStatusCode[GrpcStatusCode.FAILED_PRECONDITION]);
    expect((error as RpcError).message).toContain('not available for consumption');
    expect((await execute(await build(2))).$kind).toBe('Transaction');
  });

  test('repeating a transaction returns the same result and is charged once', async () => {
    const key = await fundedKey(world);
    const tx = new Transaction();
    tx.setSender(key.toSuiAddress());
    tx.transferObjects([tx.splitCoins(tx.gas, [5])], recipient);
    const transaction = await tx.build({ client: world.client });
    const signatures = [(await key.signTransaction(transaction)).signature];
    const include = { effects: true } as const;
    const once = await world.client.executeTransaction({ transaction, signatures, include });
    const after = await balanceOf(world, key.toSuiAddress());
    const [again, third] = await Promise.all([
      world.client.executeTransaction({ transaction, signatures, include }),
      world.client.executeTransaction({ transaction, signatures, include }),
    ]);
    expect(again).toEqual(once);
    expect(third).toEqual(once);
    expect(await balanceOf(world, key.toSuiAddress())).toBe(after);
  });

  test('an abort reports its code and location when building, simulating and executing', async () => {
    const key = await fundedKey(world);
    const counter = created(
      await send(world, key, (tx) => {
        tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
      }),
      counterType,
    )[0]!;
    const tx = new Transaction();
    tx.setSender(key.toSuiAddress());
    tx.moveCall({
      target: `${counterPackage}::counter::add`,
      arguments: [tx.object(counter), tx.pure.u64(0)],
    });
    await expect(tx.build({ client: world.client })).rejects.toThrow(
      new RegExp(
        `MoveAbort in 1st command, abort code: ${nothingToAdd}, in '${counterPackage}::counter::add'`,
      ),
    );
    const simulated = await world.client.simulateTransaction({ transaction: tx, include: { effects: true } });
    expect(simulated.FailedTransaction?.status.error).toMatchObject({
      $kind: 'MoveAbort',
      MoveAbort: { abortCode: String(nothingToAdd), location: { module: 'counter', functionName: 'add' } },
    });
    // With everything specified the SDK makes no calls beforehand, so the transaction fails on chain.
    const { objects } = await world.client.listCoins({ owner: key.toSuiAddress() });
    const { object } = await world.client.getObject({ objectId: counter });
    const { initialSharedVersion } = (object.owner as { Shared: { initialSharedVersion: string } }).Shared;
    const raw = new Transaction();
    raw.setSender(key.toSuiAddress());
    raw.setGasPayment(objects.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
    raw.setGasPrice(1000);
    raw.setGasBudget(5_000_000);
    const shared = raw.sharedObjectRef({ objectId: counter, initialSharedVersion, mutable: true });
    raw.moveCall({ target: `${counterPackage}::counter::add`, arguments: [shared, raw.pure.u64(0)] });
    const result = await world.client.signAndExecuteTransaction({
      transaction: await raw.build(),
      signer: key,
      include: { effects: true },
    });
    expect(result.FailedTransaction?.status.error).toMatchObject({
      $kind: 'MoveAbort',
      command: 0,
      MoveAbort: { abortCode: String(nothingToAdd) },
    });
    // The failure is on chain and has cost only gas.
    const stored = await world.client.getTransaction({ digest: result.FailedTransaction!.digest });
    expect(stored.$kind).toBe('FailedTransaction');
    const after = await world.client.getObject({ objectId: counter, include: { content: true } });
    expect(after.object.content!.slice(32)).toEqual(bcs.u64().serialize(0).toBytes());
  });

  test('a kind-only build of a call that would abort succeeds', async () => {
    const key = await fundedKey(world);
    const result = await send(world, key, (tx) => {
      tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    });
    const tx = new Transaction();
    const counter = tx.object(created(result, counterType)[0]!);
    tx.moveCall({
      target: `${counterPackage}::counter::require_owner`,
      arguments: [tx.pure.address(recipient), counter],
    });
    await expect(tx.build({ client: world.client, onlyTransactionKind: true })).resolves.toBeInstanceOf(
      Uint8Array,
    );
  });

  test('a simulation returns what functions return and changes nothing', async () => {
    const key = await fundedKey(world);
    const tx = new Transaction();
    tx.setSender(key.toSuiAddress());
    const counter = tx.moveCall({ target: `${counterPackage}::counter::create` });
    tx.moveCall({ target: `${counterPackage}::counter::add`, arguments: [counter, tx.pure.u64(41)] });
    tx.moveCall({ target: `${counterPackage}::counter::count`, arguments: [counter] });
    tx.transferObjects([counter], key.toSuiAddress());
    const before = world.network.chain.tip.seq;
    const { commandResults } = await world.client.simulateTransaction({
      transaction: tx,
      include: { commandResults: true },
    });
    expect(bcs.u64().parse(commandResults![2]!.returnValues[0]!.bcs!)).toBe('41');
    expect(world.network.chain.tip.seq).toBe(before);
  });
});
