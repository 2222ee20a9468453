import { sealIdentityLength } from '@memrelay/chain/seal-identity';
import type { KeyServerDirectory } from './key-server-directory.ts';
import type { SealPool } from './seal-pool.ts';
import type { WrapOutcome } from './seal-tasks.ts';
import type { ServerSets } from './server-sets.ts';

export interface WrappedKey extends WrapOutcome {
  /** Id of the set that can unwrap it */
  readonly serverSet: string;
}

/** What a key is made from, when not everything of it is new. */
export interface WrapOptions {
  /** The key to wrap, 32 bytes: zeroed in the thread's copy; a new one when left out */
  privateKey?: Uint8Array;
  /** The owner's recovery key, 32 bytes, which it is wrapped for as well */
  recoveryPk?: Uint8Array | undefined;
}

/**
 * Wraps the private half of an X25519 pair of an identity (origin ‖ tag ‖ epoch) for the current key servers; only the
 * public half and the wraps come back. About 45 ms in a worker thread. Throws `RangeError` on an identity of another
 * length, and what `KeyServerDirectory.snapshot` and `SealPool` throw.
 */
export async function wrapKey(
  identity: Uint8Array,
  parts: { directory: KeyServerDirectory; pool: SealPool; sets: ServerSets },
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
