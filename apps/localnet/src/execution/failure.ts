/** gRPC status codes in use. Values are fixed by gRPC. */
export const grpcStatus = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
} as const;
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];

/** A request that the node rejects. Nothing is executed and no gas is charged. The client gets a gRPC status. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
  readonly status: GrpcStatus;
  constructor(status: GrpcStatus, message: string) {
    super(message);
    this.status = status;
  }
}

export type ArgumentReason =
  | 'TypeMismatch'
  | 'InvalidBCSBytes'
  | 'InvalidUsageOfPureArg'
  | 'IndexOutOfBounds'
  | 'SecondaryIndexOutOfBounds'
  | 'InvalidResultArity'
  | 'InvalidGasCoinUsage'
  | 'InvalidValueUsage'
  | 'InvalidObjectByValue'
  | 'InvalidObjectByMutRef'
  | 'InvalidMakeMoveVecNonObjectArgument';

/** The reason why an executed transaction failed, with the names of Sui's `ExecutionFailureStatus`. */
export type FailureDetail =
  | { kind: 'MoveAbort'; code: bigint; packageId: string; module: string; functionName: string }
  | { kind: 'CommandArgumentError'; argument: number; reason: ArgumentReason }
  | { kind: 'UnusedValueWithoutDrop'; result: number; subresult: number }
  | {
      kind:
        | 'InsufficientGas'
        | 'InsufficientCoinBalance'
        | 'CoinBalanceOverflow'
        | 'FunctionNotFound'
        | 'ArityMismatch'
        | 'TypeArityMismatch'
        | 'NonEntryFunctionInvoked'
        | 'InvalidTransferObject'
        | 'VMInvariantViolation'
        | 'FeatureNotYetSupported';
    };

/** A transaction that failed during execution. It is on chain with this status, and gas was charged. */
export class ExecutionFailure extends Error {
  override name = 'ExecutionFailure';
  readonly detail: FailureDetail;
  /** Index of the failing command, filled in by the executor */
  command: number | undefined;
  constructor(detail: FailureDetail, message: string = detail.kind) {
    super(message);
    this.detail = detail;
  }
}

/** The failure for an invalid argument; `argument` is its position in the command. */
export function argumentFailure(argument: number, reason: ArgumentReason): ExecutionFailure {
  return new ExecutionFailure(
    { kind: 'CommandArgumentError', argument, reason },
    `Invalid command argument at ${argument}: ${reason}`,
  );
}
