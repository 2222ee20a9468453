/** Who may use an object, as Sui's `Owner`. */
export type Owner =
  | { kind: 'address'; address: string }
  /** A dynamic field: `parent` is the object it hangs on */
  | { kind: 'object'; parent: string }
  | { kind: 'shared'; initialVersion: bigint }
  | { kind: 'immutable' };

/** One live object. Ids are `0x` and 64 hex digits, types normalised struct tags (`package` for packages). */
export interface ChainObject {
  id: string;
  version: bigint;
  /** Base58, of the object's BCS as Sui hashes it */
  digest: string;
  owner: Owner;
  type: string;
  /** BCS of the struct; empty for a package */
  contents: Uint8Array;
  /** Digest of the transaction that wrote this version */
  previousTransaction: string;
}

/** What one transaction did to one object. */
export interface ObjectChange {
  id: string;
  type: string;
  before?: ChainObject;
  after?: ChainObject;
  idOperation: 'none' | 'created' | 'deleted';
}

export interface ChainEvent {
  /** The package and module whose function was called, and who sent the transaction */
  packageId: string;
  module: string;
  sender: string;
  /** Full struct tag of the event */
  type: string;
  contents: Uint8Array;
}

export interface BalanceChange {
  address: string;
  coinType: string;
  amount: bigint;
}

/** Costs in MIST. Storage is free here, so everything is computation. */
export interface GasCost {
  computation: bigint;
}
