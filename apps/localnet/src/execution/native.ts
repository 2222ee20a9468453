import type { BcsType } from '@mysten/bcs';

/**
 * How a Move module is written natively for the localnet: the executor decodes the arguments a
 * transaction passes, calls `run`, and encodes what changed. Objects travel as their decoded fields;
 * the codec of the struct (see `NativeModule.structs`) gives the bytes on chain.
 */

/** A Move object while a transaction works on it. `value` is mutable; the executor encodes it afterwards. */
export interface MoveObject<T = unknown> {
  /** `0x` and 64 lower-case hex digits */
  readonly id: string;
  /** Full struct tag, e.g. `0x…::account::Account` */
  readonly type: string;
  value: T;
}

// biome-ignore lint/suspicious/noExplicitAny: a codec's value type is known only to its module
export type AnyBcs = BcsType<any>;

/** One declared parameter. `TxContext` is not declared: it is `NativeContext`. */
export type Param =
  | { kind: 'pure'; bcs: AnyBcs /** set for a struct that only another function can make */; type?: string }
  /** `&T` or `&mut T`; `run` gets a `MoveObject` */
  | { kind: 'ref'; type: string; mutable: boolean }
  /** `T` by value: consumed, so `run` must transfer, share, destroy or return it. For `vector<T>` it gets an array. */
  | { kind: 'own'; type: string };

// Types are written with any address length (`0x2::clock::Clock`); `T0`, `T1` are type arguments.

/** The queries of a native function to the chain it runs on. */
export interface NativeContext {
  readonly sender: string;
  /** The epoch the chain is in, and the time of the transaction in ms */
  readonly epoch: bigint;
  readonly nowMs: bigint;
  /** The type arguments of the call for `T0`, `T1`… */
  readonly typeArguments: readonly string[];
  /** A fresh id, derived from the transaction digest as Sui does */
  newObjectId(): string;
  /** `name` is the event struct's name in the module that is running, or `other_module::Name` of the same package */
  emit(name: string, value: unknown): void;
  share(object: MoveObject): void;
  transfer(object: MoveObject, recipient: string): void;
  destroy(object: MoveObject): void;
  /** Dynamic fields, keyed by parent object id and typed name */
  readonly fields: {
    get(parent: string, name: TypedBcs): Uint8Array | undefined;
    set(parent: string, name: TypedBcs, value: TypedBcs): void;
    remove(parent: string, name: TypedBcs): void;
  };
}

export interface TypedBcs {
  type: string;
  bytes: Uint8Array;
}

export interface NativeFunction {
  readonly params: readonly Param[];
  /** How many type parameters the function has; none when absent */
  readonly typeParameters?: number;
  /** Returned values in order: a struct tag for objects, or a codec for plain values */
  readonly returns?: readonly ({ kind: 'own'; type: string } | { kind: 'pure'; type: string; bcs: AnyBcs })[];
  /** `entry` functions that are not public cannot have their results used by a later command */
  readonly visibility: 'public' | 'entry' | 'public entry';
  /**
   * Gets, before a program's first command, the plain arguments of all its calls of this function (undefined for
   * those that are not known yet), so that work can be done for all at once. It must change no outcome.
   */
  prepare?(calls: readonly (readonly unknown[])[]): void;
  /** Throws `MoveAbort`. Returns the values declared in `returns`. */
  // biome-ignore lint/suspicious/noExplicitAny: decoded by `params`, so each function names its own types
  run(context: NativeContext, ...args: any[]): unknown[] | undefined;
}

export interface NativeModule {
  /** Package address, `0x` and 64 hex digits */
  readonly packageId: string;
  readonly name: string;
  /** Codec of every struct that can be on chain or in an event, by struct name */
  readonly structs: Readonly<Record<string, AnyBcs>>;
  readonly functions: Readonly<Record<string, NativeFunction>>;
  /** Names of object structs without `store`: `TransferObjects` rejects them, only their module can transfer them */
  readonly keyOnly?: readonly string[];
}

/** A Move `abort`: what the real VM reports as MoveAbort, with the module's own code. */
export class MoveAbort extends Error {
  // `module` is a bare name, or `0x…::name` when code of another package aborts
  override name = 'MoveAbort';
  readonly code: bigint;
  readonly module: string;
  readonly functionName: string;
  constructor(code: number | bigint, module: string, functionName: string) {
    super(`abort ${code} in ${module}::${functionName}`);
    this.code = BigInt(code);
    this.module = module;
    this.functionName = functionName;
  }
}
