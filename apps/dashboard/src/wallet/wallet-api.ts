/** The API between the dashboard's pages and server for the local wallet. Every call is a POST of JSON. */

export const walletPaths = {
  pair: '/wallet/pair',
  challenge: '/wallet/challenge',
  resume: '/wallet/resume',
  state: '/wallet/state',
  createAccount: '/wallet/account',
  addDelegate: '/wallet/delegates',
  removeDelegate: '/wallet/delegates/remove',
  changeAccount: '/wallet/account/change',
  blobs: '/wallet/blobs',
  deleteBlobs: '/wallet/blobs/delete',
} as const;

/** One key of the account, as registered on chain. */
export interface DelegateState {
  /** 64 hex digits */
  publicKey: string;
  label: string;
  /** Unix time in ms */
  createdAt: number;
  scope: ScopeState;
  /** First key epoch whose memories it may read, a decimal string */
  minEpoch: string;
}

export interface ScopeState {
  /** Sum of `permissions` of the account module */
  perms: number;
  allNamespaces: boolean;
  /** 32 hex digits each; ignored if `allNamespaces` is set */
  tags: string[];
  /** Unix time in ms; 0 = never. A decimal string, because the chain allows values beyond a number's precision */
  expiresAtMs: string;
}

export interface WalletState {
  /** The wallet's address */
  address: string;
  /** The relayer of the local system */
  relayerUrl: string;
  packageId: string;
  /** Public key that the local system itself uses */
  systemKey?: string;
  /** Omitted if the wallet has no account yet */
  account?: AccountState;
}

export interface AccountState {
  id: string;
  /** The address that created it; namespace tags depend on it */
  origin: string;
  active: boolean;
  /** The current one; a decimal string */
  keyEpoch: string;
  /** X25519 key that new namespace keys are also wrapped for, 64 hex digits; omitted if there is none */
  recoveryKey?: string;
  /** The wallet that the account was offered to */
  offeredTo?: string;
  delegates: DelegateState[];
}

/** A blob object that exists on chain. */
export interface BlobState {
  objectId: string;
  /** Base64url, 43 characters */
  blobId: string;
  /** Bytes */
  size: number;
  /** Storage epoch at whose start it expires */
  endEpoch: number;
  deletable: boolean;
}

/** Objects per request to `blobs` and `deleteBlobs`. */
export const maxBlobObjects = 100;

export interface DeletedBlobs {
  /** Objects that were deleted by this call; others did not exist any more, or are permanent */
  deleted: number;
}

export interface AddDelegate {
  publicKey: string;
  label: string;
  scope: ScopeState;
  /** The account that the page shows. The call is rejected if the wallet has another one */
  accountId: string;
  /** The key's signature over `delegateProofMessage(accountId)`, 128 hex digits; omitted for a key that the page does not have */
  proof?: string;
}

/** A change of the whole account. The recovery key is an X25519 public key, 64 hex digits. */
export type AccountChange =
  | { kind: 'rotate' | 'freeze' | 'unfreeze' | 'cancel-offer' }
  | { kind: 'recovery-key'; publicKey: string }
  | { kind: 'offer'; newOwner: string };

export interface ChangeAccount {
  /** The account that the page shows. The call is rejected if the wallet has another one */
  accountId: string;
  change: AccountChange;
}

export interface CreatedAccount {
  accountId: string;
}

export interface AddedDelegate {
  accountId: string;
  digest: string;
}

/** How a browser that was paired before gets a token for another tab. */
export interface BrowserProof {
  /** P-256, subject public key info, base64url */
  browserKey: string;
  /** From `walletPaths.challenge`; works once */
  challenge: string;
  /** ECDSA with SHA-256 over `browserProofMessage`, base64url */
  signature: string;
}
