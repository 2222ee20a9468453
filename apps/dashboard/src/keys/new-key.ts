import { delegateAddress, delegateProofMessage } from '@memrelay/chain/delegate-key';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { type ScopeChoice, scopeOf } from '../scope/scope-choice.ts';
import { cleanLabel } from '../ui/harmless-text.ts';
import type { OwnerWallet } from '../wallet/owner-wallet.ts';
import type { AccountState, WalletState } from '../wallet/wallet-api.ts';

/** Characters of a label, as the contract limits them */
export const maxLabel = 64;

/**
 * Makes a delegate key in this page and lets the wallet register it. The result is the only copy of the private key. Rejects
 * with `WalletError`; if that is `unsure`, a key that no one holds may be registered.
 */
export async function addKey(
  wallet: OwnerWallet,
  state: WalletState,
  account: AccountState,
  label: string,
  choice: ScopeChoice,
): Promise<CredentialFile> {
  const p = portablePrimitives;
  const privateKey = p.randomBytes(32);
  const publicKey = p.ed25519PublicKey(privateKey);
  const name = cleanLabel(label);
  try {
    await wallet.addDelegate(account.id, {
      publicKey: toHex(publicKey),
      label: name,
      scope: scopeOf(choice, account.origin),
      prove: async (accountId) => p.ed25519Sign(privateKey, delegateProofMessage(accountId)),
    });
    return {
      delegatePrivateKey: toHex(privateKey),
      delegatePublicKey: toHex(publicKey),
      delegateAddress: delegateAddress(publicKey),
      walletAddress: state.address,
      accountId: account.id,
      packageId: state.packageId,
      relayerUrl: state.relayerUrl,
      label: name,
      createdAt: new Date().toISOString(),
    };
  } finally {
    privateKey.fill(0);
  }
}

/** `memrelay-build-server.json` */
export function credentialFileName(label: string): string {
  const name = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `memrelay-${name || 'key'}.json`;
}
