import { toHex } from '@memrelay/protocol/bytes';
import { askWallet } from './ask-wallet.ts';
import type { OwnerWallet } from './owner-wallet.ts';
import { tabToken } from './tab-pairing.ts';
import {
  type AddDelegate,
  type BlobState,
  type ChangeAccount,
  type CreatedAccount,
  type DeletedBlobs,
  maxBlobObjects,
  type WalletState,
  walletPaths,
} from './wallet-api.ts';

/** The wallet of `memrelay up`: this dashboard's server signs with it on behalf of a paired tab. */
export const localWallet: OwnerWallet = {
  name: 'the wallet of this computer',
  state: () => askWallet<WalletState>(walletPaths.state, {}, tabToken()),
  async createAccount() {
    return (await askWallet<CreatedAccount>(walletPaths.createAccount, {}, tabToken())).accountId;
  },
  async addDelegate(accountId, { publicKey, label, scope, prove }) {
    const request: AddDelegate = {
      accountId,
      publicKey,
      label,
      scope,
      ...(prove ? { proof: toHex(await prove(accountId)) } : {}),
    };
    await askWallet(walletPaths.addDelegate, request, tabToken());
  },
  async removeDelegate(publicKey) {
    await askWallet(walletPaths.removeDelegate, { publicKey }, tabToken());
  },
  async changeAccount(accountId, change) {
    const request: ChangeAccount = { accountId, change };
    await askWallet(walletPaths.changeAccount, request, tabToken());
  },
  async blobs(objectIds) {
    const found: BlobState[] = [];
    for (const part of partsOf(objectIds))
      found.push(
        ...(await askWallet<{ blobs: BlobState[] }>(walletPaths.blobs, { objectIds: part }, tabToken()))
          .blobs,
      );
    return found;
  },
  async deleteBlobs(objectIds) {
    let count = 0;
    for (const part of partsOf(objectIds))
      count += (await askWallet<DeletedBlobs>(walletPaths.deleteBlobs, { objectIds: part }, tabToken()))
        .deleted;
    return count;
  },
};

function partsOf(objectIds: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let start = 0; start < objectIds.length; start += maxBlobObjects)
    parts.push(objectIds.slice(start, start + maxBlobObjects));
  return parts;
}
