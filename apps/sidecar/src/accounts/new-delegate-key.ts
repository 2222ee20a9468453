import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import type { DelegateKeyResponse } from '@memrelay/protocol/sidecar-api';

/** Creates a delegate key for an OAuth grant. With an account, also the key's consent to become its delegate. */
export function newDelegateKey(accountId: string | undefined): DelegateKeyResponse {
  const privateKey = p.randomBytes(32);
  const created = {
    private_key: toHex(privateKey),
    public_key: toHex(p.ed25519PublicKey(privateKey)),
    ...(accountId === undefined
      ? {}
      : { proof: toHex(p.ed25519Sign(privateKey, delegateProofMessage(accountId))) }),
  };
  privateKey.fill(0);
  return created;
}
