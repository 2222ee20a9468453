/**
 * A Seal key server's query of the chain: may this sender run these `seal_approve` calls now? The result is a dry run
 * against the current state; nothing is written and no gas is needed.
 */
export interface PolicyChain {
  /** `ptbBytes`: BCS `ProgrammableTransaction` (a TransactionKind without its leading tag byte). */
  evaluate(ptbBytes: Uint8Array, sender: string): Promise<PolicyAnswer>;
  /** Address of the first version of a package; `undefined` if the package does not exist. */
  originalPackageId(packageId: string): string | undefined;
}

export type PolicyAnswer =
  | { ok: true }
  | { ok: false; abort?: { code: bigint; module: string; functionName: string }; reason: string };

/** An object that another part of the network creates at genesis (a key server's registration). */
export interface GenesisObject {
  /** `0x` and 64 hex digits */
  readonly objectId: string;
  /** Full struct tag */
  readonly type: string;
  /** BCS of the struct, starting with its id */
  readonly contents: Uint8Array;
}

/** A dynamic field created at genesis: `0x2::dynamic_field::Field<nameType, valueType>` owned by `parent`. */
export interface GenesisField {
  readonly parent: string;
  readonly nameType: string;
  readonly name: Uint8Array;
  readonly valueType: string;
  readonly value: Uint8Array;
}
