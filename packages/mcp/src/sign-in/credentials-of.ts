import type { DelegateKey } from '@memrelay/chain/account-bcs';
import { toHex } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import type { HandOver } from '@memrelay/sdk/account/sign-in/hand-over';

/** The credential file for a hand-over, with key, address and label as registered on chain. */
export function credentialsOf(
  handOver: Omit<HandOver, 'scope'>,
  delegate: DelegateKey,
  relayerUrl: string,
): CredentialFile {
  return {
    delegatePrivateKey: toHex(handOver.privateKey),
    delegatePublicKey: toHex(delegate.public_key),
    delegateAddress: delegate.address,
    walletAddress: handOver.walletAddress,
    accountId: handOver.accountId,
    packageId: handOver.packageId,
    relayerUrl,
    label: delegate.label,
    createdAt: new Date().toISOString(),
  };
}
