import type { ExportedSessionKey } from '@mysten/seal';
import type { KeyServerNetwork } from './key-server-fetch.ts';
import type { ServerSnapshot } from './server-snapshot.ts';

/** Tasks and results of the worker threads: structured-clone data only. */

export interface WrapTask {
  readonly snapshot: ServerSnapshot;
  readonly identity: Uint8Array;
  /** The key to wrap, 32 bytes; a new one if omitted. Zeroed by the thread at the end */
  readonly privateKey?: Uint8Array;
  /** The owner's recovery key, 32 bytes, if the account has one */
  readonly recoveryPk?: Uint8Array;
}

export interface WrapOutcome {
  /** X25519 public key, 32 bytes */
  readonly recipientPk: Uint8Array;
  /** Seal `EncryptedObject` of the private key */
  readonly wrap: Uint8Array;
  /** The private key sealed to the recovery key, if there is one */
  readonly recoveryWrap?: Uint8Array;
}

export interface VerifyTask {
  readonly snapshot: ServerSnapshot;
  readonly network: KeyServerNetwork;
}

/** The account object as a shared input of a transaction. */
export interface AccountRef {
  readonly objectId: string;
  readonly initialSharedVersion: string;
}

export interface UnwrapItem {
  /** 56 bytes: origin ‖ tag ‖ epoch, as in the envelope */
  readonly identity: Uint8Array;
  /** 32 bytes: the public key that the unwrapped key must match */
  readonly recipientPk: Uint8Array;
  /** Seal `EncryptedObject` */
  readonly wrap: Uint8Array;
}

export interface UnwrapTask {
  readonly snapshot: ServerSnapshot;
  readonly network: KeyServerNetwork;
  readonly session: ExportedSessionKey;
  readonly account: AccountRef;
  readonly items: readonly UnwrapItem[];
}

/**
 * `denied`: the key servers refused the session or this identity. `unavailable`: they could not be reached; a retry may
 * succeed. `malformed`: the wrap is invalid, permanently.
 */
export type UnwrapFailure = { readonly ok: false; readonly reason: FailureReason; readonly message: string };
export type FailureReason = 'denied' | 'unavailable' | 'malformed';

export type UnwrapResult = { readonly ok: true; readonly privateKey: Uint8Array } | UnwrapFailure;

/** What opens wraps: `fetchKeys` once for all identities (56 bytes, hex), then `decrypt` for each wrap. */
export interface KeyClient {
  /** Throws an error of Seal's client if the key servers refuse or do not respond. */
  fetchKeys(ids: readonly string[]): Promise<void>;
  /** Throws if the wrap cannot be opened with the keys that were fetched. */
  decrypt(wrap: Uint8Array): Promise<Uint8Array>;
}
