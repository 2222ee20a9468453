import type { Reader } from '@memrelay/protocol/sidecar-api';
import type { Caller } from './caller.ts';

/** The caller for whom the sidecar decrypts, with the chain's names. */
export function readerOf(
  { account, delegate, publicKey, address }: Caller,
  serverAddress: string | undefined,
): Reader {
  return {
    account: {
      id: account.accountId,
      initial_shared_version: account.initialSharedVersion,
      origin: account.origin,
      owner: account.owner,
      key_epoch: account.keyEpoch,
    },
    signer: { public_key: publicKey, address, min_epoch: delegate.scope?.minEpoch ?? 0 },
    server_key_allowed: account.delegates.some((each) => each.address === serverAddress),
  };
}
