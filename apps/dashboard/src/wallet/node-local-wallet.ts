import { readFile } from 'node:fs/promises';
import { type Account, type Scope, scopeBcs } from '@memrelay/chain/account-bcs';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { readBlobObjects } from '@memrelay/chain/owned-blobs';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { AccountOwner, type Done } from '@memrelay/sdk/account/account-owner';
import type {
  AccountChange,
  AccountState,
  AddDelegate,
  AddedDelegate,
  BlobState,
  ChangeAccount,
  CreatedAccount,
  DelegateState,
  DeletedBlobs,
  ScopeState,
  WalletState,
} from './wallet-api.ts';
import { WalletRefusal } from './wallet-refusal.ts';

export interface LocalWalletOptions {
  /** `wallet.json` of the local system; read on every use, because the first start creates it later */
  walletFile: string;
  relayerUrl: string;
  /** The package of the local network; a relayer with a different package is rejected */
  packageId: string;
  /** Public key that the local system itself uses, 64 hex digits */
  systemKey?: string | undefined;
}

/**
 * The wallet of the local system, only for the dashboard's pages. It signs transactions built here from parameters of the
 * page (a key and its scope, a key to remove, a change of the account, or blob objects to delete), never bytes from a
 * request.
 */
export interface LocalWallet {
  state(): Promise<WalletState>;
  /** The wallet's account, created if there is none */
  createAccount(): Promise<CreatedAccount>;
  /** Adds a delegate with its consent */
  addDelegate(wanted: AddDelegate): Promise<AddedDelegate>;
  removeDelegate(publicKey: string): Promise<{ digest: string }>;
  changeAccount(wanted: ChangeAccount): Promise<{ digest: string }>;
  /** Those of these blob objects that exist */
  blobs(objectIds: readonly string[]): Promise<BlobState[]>;
  /** Deletes those of these blob objects that exist and are not permanent */
  deleteBlobs(objectIds: readonly string[]): Promise<DeletedBlobs>;
}

export function createLocalWallet(options: LocalWalletOptions): LocalWallet {
  const connectOwner = async (): Promise<AccountOwner> => {
    const { privateKey } = JSON.parse(await readFile(options.walletFile, 'utf8')) as { privateKey: string };
    return AccountOwner.connect({
      serverUrl: options.relayerUrl,
      packageId: options.packageId,
      signer: parsePrivateKey(privateKey),
    });
  };
  const connect = async (): Promise<{ owner: AccountOwner; account: Account | undefined }> => {
    const owner = await connectOwner();
    const id = await owner.findAccount();
    const account = id === undefined ? undefined : await owner.readAccount(id);
    if (account && account.owner !== owner.address)
      throw new WalletRefusal(
        409,
        'account_given_away',
        'The account of this wallet now belongs to another wallet.',
      );
    return { owner, account };
  };
  /** The account that the page shows. Throws `WalletRefusal` if the wallet has another one, or none. */
  const shownAccount = async (id: string): Promise<{ owner: AccountOwner; account: Account }> => {
    const { owner, account } = await connect();
    if (account?.id === id) return { owner, account };
    throw new WalletRefusal(
      409,
      'account_changed',
      'The account has changed in the meantime. Reload the page.',
    );
  };
  return {
    async state() {
      const { owner, account } = await connect();
      return {
        address: owner.address,
        relayerUrl: options.relayerUrl,
        packageId: options.packageId,
        ...(options.systemKey === undefined ? {} : { systemKey: options.systemKey }),
        ...(account ? { account: accountState(account) } : {}),
      };
    },
    async createAccount() {
      const { owner, account } = await connect();
      return { accountId: account?.id ?? (await owner.createAccount()).accountId };
    },
    async addDelegate({ accountId, publicKey, label, scope, proof }) {
      const { owner, account } = await shownAccount(accountId);
      const delegate = {
        publicKey,
        address: delegateAddress(fromHex(publicKey)),
        label,
        scope: chainScope(scope),
      };
      const { digest } = await (proof
        ? owner.addDelegate(account.id, { ...delegate, proof: fromHex(proof) })
        : owner.addUnprovenDelegate(account.id, delegate));
      return { accountId: account.id, digest };
    },
    async removeDelegate(publicKey) {
      const { owner, account } = await connect();
      if (!account) throw new WalletRefusal(409, 'no_account', 'This wallet has no account.');
      return { digest: (await owner.removeDelegate(account.id, publicKey)).digest };
    },
    async changeAccount({ accountId, change }) {
      const { owner, account } = await shownAccount(accountId);
      return { digest: (await changeAccount(owner, account, change)).digest };
    },
    async blobs(objectIds) {
      return existingBlobs(await connectOwner(), objectIds);
    },
    async deleteBlobs(objectIds) {
      const owner = await connectOwner();
      const existing = (await existingBlobs(owner, objectIds)).filter(({ deletable }) => deletable);
      let deleted = 0;
      for await (const { count } of owner.deleteBlobs(existing.map(({ objectId }) => objectId)))
        deleted += count;
      return { deleted };
    },
  };
}

function changeAccount(owner: AccountOwner, account: Account, change: AccountChange): Promise<Done> {
  switch (change.kind) {
    case 'rotate':
      return owner.rotateKeyEpoch(account.id);
    case 'freeze':
      return owner.deactivate(account.id);
    case 'unfreeze':
      return owner.reactivate(account.id);
    case 'offer':
      return owner.offerOwner(account.id, change.newOwner);
    case 'cancel-offer':
      return owner.cancelOffer(account.id);
    case 'recovery-key':
      return setRecoveryKey(owner, account, fromHex(change.publicKey));
  }
}

/** Replacing a key starts a new key epoch. The first one does not, and would protect nothing until the next epoch. */
async function setRecoveryKey(owner: AccountOwner, account: Account, publicKey: Uint8Array): Promise<Done> {
  const done = await owner.setRecoveryKey(account.id, publicKey);
  return account.recovery_pk.length > 0 ? done : owner.rotateKeyEpoch(account.id);
}

async function existingBlobs(owner: AccountOwner, objectIds: readonly string[]): Promise<BlobState[]> {
  const { chain } = owner.network;
  const found = await readBlobObjects(chain, await owner.network.walrus(), [...new Set(objectIds)]);
  return found.map(({ objectId, blobId, size, endEpoch, deletable }) => ({
    objectId,
    blobId,
    size,
    endEpoch,
    deletable,
  }));
}

function accountState(account: Account): AccountState {
  const delegates = account.delegate_keys.map((key): DelegateState => {
    const scope = account.scopes.find(({ key: address }) => address === key.address)!.value;
    return {
      publicKey: toHex(Uint8Array.from(key.public_key)),
      label: key.label,
      createdAt: Number(key.created_at),
      scope: {
        perms: scope.perms,
        allNamespaces: scope.all_namespaces,
        tags: scope.tags.map((tag) => toHex(Uint8Array.from(tag))),
        expiresAtMs: String(scope.expires_at_ms),
      },
      minEpoch: String(scope.min_epoch),
    };
  });
  return {
    id: account.id,
    origin: account.origin,
    active: account.active,
    keyEpoch: String(account.key_epoch),
    ...(account.recovery_pk.length > 0 ? { recoveryKey: toHex(Uint8Array.from(account.recovery_pk)) } : {}),
    ...(account.pending_owner ? { offeredTo: account.pending_owner } : {}),
    delegates,
  };
}

function chainScope({ perms, allNamespaces, tags, expiresAtMs }: ScopeState): Scope {
  return scopeBcs.parse(
    scopeBcs
      .serialize({
        perms,
        all_namespaces: allNamespaces,
        tags: tags.map((tag) => fromHex(tag)),
        min_epoch: 0n,
        expires_at_ms: BigInt(expiresAtMs),
      })
      .toBytes(),
  );
}
