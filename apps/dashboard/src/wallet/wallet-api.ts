/** What page and server of the dashboard say to each other about the local wallet. Every call is a POST of JSON. */

export const walletPaths = {
  pair: '/wallet/pair',
  state: '/wallet/state',
  createAccount: '/wallet/account',
  addDelegate: '/wallet/delegates',
  removeDelegate: '/wallet/delegates/remove',
} as const;

/** One key of the account, as it stands on chain. */
export interface DelegateState {
  /** 64 hex digits */
  publicKey: string;
  label: string;
  /** Unix time in ms */
  createdAt: number;
  scope: ScopeState;
}

export interface ScopeState {
  /** Sum of `permissions` of the account module */
  perms: number;
  allNamespaces: boolean;
  /** 32 hex digits each; without meaning when `allNamespaces` is set */
  tags: string[];
  /** Unix time in ms; 0 = never. Decimal, because the chain takes more than a number holds */
  expiresAtMs: string;
}

export interface WalletState {
  /** The wallet's address */
  address: string;
  /** The relayer of the local system */
  relayerUrl: string;
  packageId: string;
  /** Left out when the wallet has not made its account yet */
  account?: { id: string; origin: string; active: boolean; delegates: DelegateState[] };
}

export interface AddDelegate {
  publicKey: string;
  label: string;
  scope: ScopeState;
  /** The account that the page knows; another one is refused */
  accountId: string;
  /** The key's signature over `delegateProofMessage(accountId)`, 128 hex digits; left out for a key that the page does not hold */
  proof?: string;
}

export interface CreatedAccount {
  accountId: string;
}

export interface AddedDelegate {
  accountId: string;
  digest: string;
}
