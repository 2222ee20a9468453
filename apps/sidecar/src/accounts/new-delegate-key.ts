import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import type { DelegateKeyResponse } from '@memrelay/protocol/sidecar-api';

/** A new delegate key for an OAuth grant. With an account, also its consent to become a delegate of that one. */
export function newDelegateKey(accountId: string | undefined): DelegateKeyResponse {
  const privateKey = p.randomBytes(32);
  const made = {
    private_key: toHex(privateKey),
    public_key: toHex(p.ed25519PublicKey(privateKey)),
    ...(accountId === undefined
      ? {}
      : { proof: toHex(p.ed25519Sign(privateKey, delegateProofMessage(accountId))) }),
  };
  privateKey.fill(0);
  return made;
}
