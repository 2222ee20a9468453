import { accountBcs, accountEventBcs } from '@memrelay/chain/account-bcs';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { encodeSealIdentity } from '@memrelay/chain/seal-identity';
import { toHex } from '@memrelay/protocol/bytes';
import { localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { NoAccessError, SealClient, SessionKey } from '@mysten/seal';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainWorld, created, fundedKey, send, startWorld } from './chain-world.ts';

const tag = new Uint8Array(16).fill(5);

describe('accounts', () => {
  let world: ChainWorld;
  let owner: Ed25519Keypair;
  let account: string;
  let packageId: string;
  const delegate = new Ed25519Keypair();
  beforeAll(async () => {
    world = await startWorld('http text');
    packageId = world.network.ids.accountPackageId;
    owner = await fundedKey(world);
    const result = await send(world, owner, createAccount);
    account = created(result, `${packageId}::account::Account`)[0]!;
  });
  afterAll(() => world.close());

  function createAccount(tx: Transaction): void {
    const args = [tx.object(world.network.ids.registryId), tx.object.clock()];
    tx.moveCall({ target: `${packageId}::account::create_account`, arguments: args });
  }

  function addDelegate(tx: Transaction, key: Ed25519Keypair, label: string): void {
    const publicKey = key.getPublicKey().toRawBytes();
    tx.moveCall({
      target: `${packageId}::account::add_delegate_key`,
      arguments: [
        tx.object(account),
        tx.pure.vector('u8', publicKey),
        tx.pure.address(delegateAddress(publicKey)),
        tx.pure.string(label),
        tx.object.clock(),
      ],
    });
  }

  async function readAccount() {
    const { object } = await world.client.getObject({ objectId: account, include: { content: true } });
    return { object, fields: accountBcs.parse(object.content!) };
  }

  async function approval(sender: string, identity: Uint8Array): Promise<Uint8Array> {
    const { object } = await readAccount();
    const { initialSharedVersion } = (object.owner as { Shared: { initialSharedVersion: string } }).Shared;
    const tx = new Transaction();
    tx.setSender(sender);
    const shared = tx.sharedObjectRef({ objectId: account, initialSharedVersion, mutable: false });
    tx.moveCall({
      target: `${packageId}::account::seal_approve`,
      arguments: [tx.pure.vector('u8', identity), shared],
    });
    // All inputs are resolved, so no client is needed.
    return tx.build({ onlyTransactionKind: true });
  }

  test('an account is shared, listed in the registry and cannot be transferred', async () => {
    const { object, fields } = await readAccount();
    expect(object.owner?.$kind).toBe('Shared');
    expect(fields).toMatchObject({ origin: owner.toSuiAddress(), owner: owner.toSuiAddress(), active: true });
    const { response } = await world.client.ledgerService.getObject({
      objectId: world.network.ids.registryId,
      readMask: { paths: ['contents'] },
    });
    const table = bcs.Address.parse(response.object!.contents!.value!.slice(32));
    const name = { type: 'address', bcs: bcs.Address.serialize(owner.toSuiAddress()).toBytes() };
    const { dynamicField } = await world.client.getDynamicField({ parentId: table, name });
    expect(bcs.Address.parse(dynamicField.value.bcs)).toBe(account);
    await expect(send(world, owner, createAccount)).rejects.toThrow(/MoveAbort/);
    await expect(
      send(world, owner, (tx) => {
        const args = [tx.object(world.network.ids.registryId), tx.object.clock()];
        const made = tx.moveCall({ target: `${packageId}::account::new_account`, arguments: args });
        tx.transferObjects([made], owner.toSuiAddress());
      }),
    ).rejects.toThrow();
  });

  test('delegates are added once, by the owner, with an event', async () => {
    const result = await send(world, owner, (tx) => addDelegate(tx, delegate, 'laptop'));
    const event = accountEventBcs.DelegateKeyAdded.parse(result.events[0]!.bcs);
    expect(event).toMatchObject({ account_id: account, label: 'laptop' });
    expect((await readAccount()).fields.delegate_keys).toHaveLength(1);
    await expect(send(world, owner, (tx) => addDelegate(tx, delegate, 'again'))).rejects.toThrow(/MoveAbort/);
    const stranger = await fundedKey(world);
    await expect(send(world, stranger, (tx) => addDelegate(tx, stranger, 'mine'))).rejects.toThrow(
      /MoveAbort/,
    );
  });

  test('policies are evaluated for the sender, and return the abort code', async () => {
    const identity = encodeSealIdentity({ origin: owner.toSuiAddress(), tag, epoch: 0n });
    const stranger = new Ed25519Keypair().toSuiAddress();
    const evaluate = async (sender: string) => {
      // A transaction kind is a tag byte followed by the programmable transaction.
      const ptb = (await approval(sender, identity)).slice(1);
      return world.network.chain.evaluate(ptb, sender);
    };
    expect(await evaluate(owner.toSuiAddress())).toEqual({ ok: true });
    expect(await evaluate(stranger)).toMatchObject({ ok: false, abort: { code: 100n, module: 'account' } });
    expect(await world.network.chain.evaluate(new Uint8Array([9, 9]), stranger)).toMatchObject({ ok: false });
    expect(world.network.chain.originalPackageId(packageId)).toBe(packageId);
    expect(world.network.chain.originalPackageId(account)).toBeUndefined();
  });

  test('the real Seal client encrypts, and only owner and delegate can decrypt', async () => {
    const info = localnetInfoSchema.parse(await (await fetch(`${world.localnet!.url}/info`)).json());
    const sealClient = () =>
      new SealClient({
        suiClient: world.client,
        serverConfigs: info.keyServers.map(({ objectId, weight }) => ({ objectId, weight })),
        verifyKeyServers: true,
      });
    const identity = encodeSealIdentity({ origin: owner.toSuiAddress(), tag, epoch: 0n });
    const data = new TextEncoder().encode('a secret');
    const { encryptedObject } = await sealClient().encrypt({
      threshold: info.threshold,
      packageId: info.packageId,
      id: toHex(identity),
      data,
    });
    const decrypt = async (signer: Ed25519Keypair) => {
      const address = signer.toSuiAddress();
      const sessionKey = await SessionKey.create({
        address,
        packageId: info.packageId,
        ttlMin: 5,
        signer,
        suiClient: world.client,
      });
      const txBytes = await approval(address, identity);
      return sealClient().decrypt({ data: encryptedObject, sessionKey, txBytes });
    };
    expect(await decrypt(owner)).toEqual(data);
    expect(await decrypt(delegate)).toEqual(data);
    await expect(decrypt(new Ed25519Keypair())).rejects.toBeInstanceOf(NoAccessError);
  });
});
