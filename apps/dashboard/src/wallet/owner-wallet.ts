import { CodedError } from '@memrelay/protocol/coded-error';
import type { AccountChange, BlobState, ScopeState, WalletState } from './wallet-api.ts';

export interface NewKey {
  /** 64 hex digits */
  publicKey: string;
  label: string;
  scope: ScopeState;
  /**
   * The key's signature over `delegateProofMessage(accountId)`: its consent to become a delegate of that account. Omitted
   * for a key that the page does not have
   */
  prove?: (accountId: string) => Promise<Uint8Array>;
}

/** The wallet that owns an account, as pages use it. Methods reject with `WalletError`. */
export interface OwnerWallet {
  /** Display name, e.g. `the wallet of this computer` */
  name: string;
  state(): Promise<WalletState>;
  /** The id of the wallet's account, created if there is none */
  createAccount(): Promise<string>;
  /** Registers a key with its consent */
  addDelegate(accountId: string, key: NewKey): Promise<void>;
  removeDelegate(publicKey: string): Promise<void>;
  changeAccount(accountId: string, change: AccountChange): Promise<void>;
  /** Those of these blob objects that exist on chain */
  blobs(objectIds: readonly string[]): Promise<BlobState[]>;
  /** Deletes blob objects; the number of those that this call deleted */
  deleteBlobs(objectIds: readonly string[]): Promise<number>;
}

/** A failed wallet call. The message is for the user. */
export class WalletError extends CodedError {
  override name = 'WalletError';
  /** True if it is unknown whether the call took effect, because the server or the chain did not respond */
  readonly unsure: boolean;
  constructor(code: string, message: string, unsure: boolean) {
    super(code, message);
    this.unsure = unsure;
  }
}
