import { toHex } from '@memrelay/envelope/bytes';
import { askWallet } from './ask-wallet.ts';
import type { OwnerWallet } from './owner-wallet.ts';
import { tabToken } from './tab-pairing.ts';
import { type AddDelegate, type AddedDelegate, type WalletState, walletPaths } from './wallet-api.ts';

/** The wallet of `memrelay up`, which this dashboard's server signs with for a paired tab. */
export const localWallet: OwnerWallet = {
  name: 'the wallet of this computer',
  state: () => askWallet<WalletState>(walletPaths.state, {}, tabToken()),
  async addDelegate({ account }, { publicKey, label, scope, prove }) {
    const wanted: AddDelegate = {
      publicKey,
      label,
      scope,
      ...(account && prove
        ? { proven: { accountId: account.id, proof: toHex(await prove(account.id)) } }
        : {}),
      ...(account && !prove ? { unproven: { accountId: account.id } } : {}),
    };
    const { accountId } = await askWallet<AddedDelegate>(walletPaths.addDelegate, wanted, tabToken());
    return accountId;
  },
  async removeDelegate(publicKey) {
    await askWallet(walletPaths.removeDelegate, { publicKey }, tabToken());
  },
};
