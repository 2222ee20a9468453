/**
 * Delegates and their permissions: the account objects on chain, cached briefly, with one read per account at a time.
 */

export interface DelegateScope {
  /** Bits READ 1, WRITE 2, FORGET 4 */
  perms: number;
  allNamespaces: boolean;
  /** Namespace tags, 32 hex digits each */
  tags: readonly string[];
  minEpoch: number;
  /** 0 = never */
  expiresAtMs: number;
}

export interface Delegate {
  /** 64 lower-case hex digits */
  publicKey: string;
  address: string;
  label: string;
  createdAtMs: number;
  proven: boolean;
  /** Undefined when the account has no scope record for the delegate, which then has no permissions */
  scope: DelegateScope | undefined;
}

/** The state of an account on chain at `objectVersion`. */
export interface AccountSnapshot {
  accountId: string;
  initialSharedVersion: string;
  objectVersion: bigint;
  origin: string;
  owner: string;
  active: boolean;
  keyEpoch: number;
  delegates: readonly Delegate[];
  /** 64 hex digits, when the owner set one */
  recoveryPk: string | undefined;
  /**
   * True when the chain was unreachable and this state comes from the cache, at most 60 s old. Calls that decrypt or
   * delete must not use it (security.md, "Requests and sessions").
   */
  stale: boolean;
}

export interface AccountDirectory {
  /**
   * The account with this object id (any case): at most 5 s old, and never older than a version already seen.
   * `undefined` when it does not exist. `maxAgeMs` requests a newer state. Throws `ApiError('auth_unavailable')` when
   * the chain is unreachable and no recent state is cached.
   */
  account(accountId: string, options?: { maxAgeMs?: number }): Promise<AccountSnapshot | undefined>;
  /**
   * Like `account`, to look for this delegate key (64 lower-case hex digits): if the cached account does not list the
   * key, the account is read again, so that a key that was just added is found.
   */
  accountWith(accountId: string, publicKey: string): Promise<AccountSnapshot | undefined>;
  /**
   * Ids of the accounts that list this delegate key (from the watched table), proven entries first. Anyone can list a
   * key without proof, so if no entry is proven, the watcher first catches up with the chain. Throws
   * `ApiError('auth_unavailable')`.
   */
  accountsOf(publicKey: string): Promise<readonly { accountId: string; proven: boolean }[]>;
  /**
   * Public keys of all delegates that have or ever had WRITE in the namespace with this tag, from the account's events
   * up to now. Throws `ApiError('auth_unavailable')`.
   */
  writersEver(accountId: string, tag: Uint8Array): Promise<string[]>;
  /** The listener is called when an account changed on chain; it must drop cached data of the account. */
  onChange(listener: (accountId: string) => void): void;
  /** State of the chain connection for `/ready`. */
  health(): { ok: boolean; detail?: string };
  close(): Promise<void>;
}
