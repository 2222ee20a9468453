import { sealIdentityLength } from '@memrelay/chain/seal-identity';
import type { KeyServerDirectory } from './key-server-directory.ts';
import type { SealPool } from './seal-pool.ts';
import type { WrapOutcome } from './seal-tasks.ts';
import type { ServerSets } from './server-sets.ts';

export interface WrappedKey extends WrapOutcome {
  /** Id of the set that can unwrap it */
  readonly serverSet: string;
}

/** Parts of a key that already exist. */
export interface WrapOptions {
  /** The key to wrap, 32 bytes; a new one if omitted. The thread zeroes its copy */
  privateKey?: Uint8Array;
  /** The owner's recovery key, 32 bytes: the key is wrapped for it as well */
  recoveryPk?: Uint8Array | undefined;
}

export interface WrapParts {
  directory: KeyServerDirectory;
  pool: SealPool;
  sets: ServerSets;
}

/**
 * Wraps the private key of an identity's X25519 pair (identity: origin ‖ tag ‖ epoch) for the current key servers. Returns
 * only the public key and the wraps. Takes about 45 ms in a worker thread. Throws `RangeError` on an identity of another
 * length, and the errors of `KeyServerDirectory.snapshot` and `SealPool`.
 */
export async function wrapKey(
  identity: Uint8Array,
  parts: WrapParts,
  { privateKey, recoveryPk }: WrapOptions = {},
): Promise<WrappedKey> {
  if (identity.length !== sealIdentityLength) throw new RangeError('a Seal identity has 56 bytes');
  const { current } = parts.sets;
  const snapshot = await parts.directory.snapshot(current);
  const wrapped = await parts.pool.wrapKey({
    snapshot,
    identity: new Uint8Array(identity),
    ...(privateKey ? { privateKey } : {}),
    ...(recoveryPk ? { recoveryPk: new Uint8Array(recoveryPk) } : {}),
  });
  return { ...wrapped, serverSet: current.id };
}
