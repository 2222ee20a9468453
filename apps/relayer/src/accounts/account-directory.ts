/** Who may act for whom: the account objects on chain, read with a short cache and one flight per account. */

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
  /** Absent when the account holds no scope record for it: such a delegate may do nothing */
  scope: DelegateScope | undefined;
}

/** One account as it stood on chain at `objectVersion`. */
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
   * True when the chain could not be asked and this is a cached answer, at most 60 s old. It serves only what
   * neither decrypts nor destroys (security.md, "Requests and sessions").
   */
  stale: boolean;
}

export interface AccountDirectory {
  /**
   * The account by its object id (any case), never older than the promised staleness (5 s), never older than a
   * version seen before. `undefined` when there is no such account. `maxAgeMs` asks for a fresher answer.
   * Throws `ApiError('auth_unavailable')` when the chain cannot be asked and nothing recent is known.
   */
  account(accountId: string, options?: { maxAgeMs?: number }): Promise<AccountSnapshot | undefined>;
  /**
   * The account in which this delegate key is looked for (64 lower-case hex digits): as `account`, but an answer that does
   * not list the key was read after the call, so that a key that was just added is found.
   */
  accountWith(accountId: string, publicKey: string): Promise<AccountSnapshot | undefined>;
  /**
   * Ids of the accounts that list this delegate key, proven entries first (from the watched table). Where
   * none has proven it, the watcher first catches up with the chain: anyone can list a key unproven. Throws `ApiError('auth_unavailable')`.
   */
  accountsOf(publicKey: string): Promise<readonly { accountId: string; proven: boolean }[]>;
  /**
   * Public keys of delegates that have, or had, WRITE at some time in the namespace with this tag, by the account's events
   * up to now. Throws `ApiError('auth_unavailable')`.
   */
  writersEver(accountId: string, tag: Uint8Array): Promise<string[]>;
  /** Called when an account's state on chain changed: caches keyed by it must be dropped. */
  onChange(listener: (accountId: string) => void): void;
  /** State of the chain connection for `/ready`. */
  health(): { ok: boolean; detail?: string };
  close(): Promise<void>;
}
