import { readFile } from 'node:fs/promises';
import { type Account, type Scope, scopeBcs } from '@memrelay/chain/account-bcs';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import type {
  AddDelegate,
  AddedDelegate,
  CreatedAccount,
  DelegateState,
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
 * page (a key and its scope, or a key to remove), never bytes from a request.
 */
export interface LocalWallet {
  state(): Promise<WalletState>;
  /** The wallet's account, created if there is none */
  createAccount(): Promise<CreatedAccount>;
  /** Adds a delegate with its consent */
  addDelegate(wanted: AddDelegate): Promise<AddedDelegate>;
  removeDelegate(publicKey: string): Promise<{ digest: string }>;
}

export function createLocalWallet(options: LocalWalletOptions): LocalWallet {
  const connect = async (): Promise<{ owner: AccountOwner; account: Account | undefined }> => {
    const { privateKey } = JSON.parse(await readFile(options.walletFile, 'utf8')) as { privateKey: string };
    const owner = await AccountOwner.connect({
      serverUrl: options.relayerUrl,
      packageId: options.packageId,
      signer: parsePrivateKey(privateKey),
    });
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
      const { owner, account } = await connect();
      const delegate = {
        publicKey,
        address: delegateAddress(fromHex(publicKey)),
        label,
        scope: chainScope(scope),
      };
      if (!account || accountId !== account.id)
        throw new WalletRefusal(
          409,
          'account_changed',
          'The account has changed in the meantime. Reload the page.',
        );
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
  };
}

function accountState(account: Account): NonNullable<WalletState['account']> {
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
    };
  });
  return { id: account.id, origin: account.origin, active: account.active, delegates };
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
