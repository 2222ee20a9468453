/** The owner of an object, as Sui's `Owner`. */
export type Owner =
  | { kind: 'address'; address: string }
  /** A dynamic field of the object `parent` */
  | { kind: 'object'; parent: string }
  | { kind: 'shared'; initialVersion: bigint }
  | { kind: 'immutable' };

/** One live object. Ids are `0x` and 64 hex digits, types normalised struct tags (`package` for packages). */
export interface ChainObject {
  id: string;
  version: bigint;
  /** Base58 digest of the object's BCS, computed like Sui's */
  digest: string;
  owner: Owner;
  type: string;
  /** BCS of the struct; empty for a package */
  contents: Uint8Array;
  /** Digest of the transaction that wrote this version */
  previousTransaction: string;
}

/** The change of one object by one transaction. */
export interface ObjectChange {
  id: string;
  type: string;
  before?: ChainObject;
  after?: ChainObject;
  idOperation: 'none' | 'created' | 'deleted';
}

export interface ChainEvent {
  /** Package and module of the called function, and the sender of the transaction */
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
