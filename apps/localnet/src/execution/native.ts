import type { BcsType } from '@mysten/bcs';

/**
 * Interface of Move modules that are implemented natively for the localnet. The executor decodes the arguments of a
 * call, calls `run`, and encodes the changes. Functions get objects as decoded fields; the codec of the struct (see
 * `NativeModule.structs`) defines their bytes on chain.
 */

/** A Move object during a transaction. `run` may change `value`; the executor encodes it afterwards. */
export interface MoveObject<T = unknown> {
  /** `0x` and 64 lower-case hex digits */
  readonly id: string;
  /** Full struct tag, e.g. `0x…::account::Account` */
  readonly type: string;
  value: T;
}

// biome-ignore lint/suspicious/noExplicitAny: a codec's value type is known only to its module
export type AnyBcs = BcsType<any>;

/** A declared parameter. `TxContext` is not declared, because functions get `NativeContext` instead. */
export type Param =
  | { kind: 'pure'; bcs: AnyBcs /** set for a struct that only another function can create */; type?: string }
  /** `&T` or `&mut T`; `run` gets a `MoveObject` */
  | { kind: 'ref'; type: string; mutable: boolean }
  /** `T` by value: consumed, so `run` must transfer, share, destroy or return it. For `vector<T>` it gets an array. */
  | { kind: 'own'; type: string };

// Types are written with any address length (`0x2::clock::Clock`); `T0`, `T1` are type arguments.

/** The chain as a native function sees it. */
export interface NativeContext {
  readonly sender: string;
  /** The current epoch, and the time of the transaction in milliseconds */
  readonly epoch: bigint;
  readonly nowMs: bigint;
  /** The type arguments of the call for `T0`, `T1`… */
  readonly typeArguments: readonly string[];
  /** A fresh id, derived from the transaction digest as Sui does */
  newObjectId(): string;
  /** `name` is the name of the event struct in the current module, or `other_module::Name` in the same package */
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
  /** Number of type parameters; 0 when absent */
  readonly typeParameters?: number;
  /** Returned values in order: a struct tag for objects, or a codec for plain values */
  readonly returns?: readonly ({ kind: 'own'; type: string } | { kind: 'pure'; type: string; bcs: AnyBcs })[];
  /** `entry` functions that are not public cannot have their results used by a later command */
  readonly visibility: 'public' | 'entry' | 'public entry';
  /**
   * Called before a program's first command with the pure arguments of all its calls to this function (undefined
   * for those that are not known yet), so that work can be done for all calls together. Must not change any result.
   */
  prepare?(calls: readonly (readonly unknown[])[]): void;
  /** Throws `MoveAbort`. Returns the values declared in `returns`. */
  // biome-ignore lint/suspicious/noExplicitAny: decoded by `params`, so each function declares its own types
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

/** A Move `abort` with the code of the module; the real VM reports it as MoveAbort. */
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
