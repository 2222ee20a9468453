import { CodedError } from '@memrelay/protocol/coded-error';
import type { ScopeState, WalletState } from './wallet-api.ts';

export interface NewKey {
  /** 64 hex digits */
  publicKey: string;
  label: string;
  scope: ScopeState;
  /**
   * The key's signature over `delegateProofMessage(accountId)`: its consent to become a delegate of that account. Left out
   * for a key that the page does not hold
   */
  prove?: (accountId: string) => Promise<Uint8Array>;
}

/** The wallet that owns an account, as pages use it. Methods reject with `WalletError`. */
export interface OwnerWallet {
  /** As a person would call it, e.g. `the wallet of this computer` */
  name: string;
  state(): Promise<WalletState>;
  /** The id of the wallet's account, which is made when there is none */
  createAccount(): Promise<string>;
  /** Registers a key with its consent */
  addDelegate(accountId: string, key: NewKey): Promise<void>;
  removeDelegate(publicKey: string): Promise<void>;
}

/** What the wallet could not do. The message is for the person. */
export class WalletError extends CodedError {
  override name = 'WalletError';
  /** Nobody knows whether it took effect: there was no answer, or none from the chain */
  readonly unsure: boolean;
  constructor(code: string, message: string, unsure: boolean) {
    super(code, message);
    this.unsure = unsure;
  }
}
