import { sealIdentityLength } from '@memrelay/chain/seal-identity';
import type { KeyServerDirectory } from './key-server-directory.ts';
import type { SealPool } from './seal-pool.ts';
import type { WrapOutcome } from './seal-tasks.ts';
import type { ServerSets } from './server-sets.ts';

export interface WrappedKey extends WrapOutcome {
  /** Id of the set that can unwrap it */
  readonly serverSet: string;
}

/**
 * Makes an X25519 pair for an identity (origin ‖ tag ‖ epoch) and wraps its private half for the current key
 * servers; only the public half and the wrap come back. About 45 ms in a worker thread. Throws `RangeError`
 * on an identity of another length, and what `KeyServerDirectory.snapshot` and `SealPool` throw.
 */
export async function wrapNewKey(
  identity: Uint8Array,
  parts: { directory: KeyServerDirectory; pool: SealPool; sets: ServerSets },
  recoveryPk?: Uint8Array,
): Promise<WrappedKey> {
  if (identity.length !== sealIdentityLength) throw new RangeError('a Seal identity has 56 bytes');
  const { current } = parts.sets;
  const snapshot = await parts.directory.snapshot(current);
  const wrapped = await parts.pool.wrapKey({
    snapshot,
    identity: new Uint8Array(identity),
    ...(recoveryPk ? { recoveryPk: new Uint8Array(recoveryPk) } : {}),
  });
  return { ...wrapped, serverSet: current.id };
}

/** Wraps a given private key for the current key servers. Throws as `wrapNewKey`. */
export async function wrapAgain(
  identity: Uint8Array,
  privateKey: Uint8Array,
  parts: { directory: KeyServerDirectory; pool: SealPool; sets: ServerSets },
): Promise<Uint8Array> {
  const snapshot = await parts.directory.snapshot(parts.sets.current);
  const { wrap } = await parts.pool.wrapKey({ snapshot, identity: new Uint8Array(identity), privateKey });
  return wrap;
}
