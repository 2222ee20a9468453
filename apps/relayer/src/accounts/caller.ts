import type { AccountSnapshot, Delegate } from './account-directory.ts';

/** Permissions of the contract's `Scope`. */
export type Permission = 'read' | 'write' | 'forget';

/** The authenticated caller of a signed request: set by the auth hook, read by the routes. */
export interface Caller {
  account: AccountSnapshot;
  /** The account's entry for the request's key */
  delegate: Delegate;
  /** Ed25519 public key of the request, 64 lower-case hex digits */
  publicKey: string;
  /** Chain address that belongs to this key */
  address: string;
  /** Decrypt credentials of the request, passed through to the sidecar and never logged */
  credentials: { encSession: string | undefined; delegateKey: string | undefined };
}
