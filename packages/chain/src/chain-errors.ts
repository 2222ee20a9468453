import { ObjectError, SimulationError, TransactionError } from '@mysten/sui/client';
import { GrpcStatusCode, RpcError } from '@mysten/sui/grpc';

/** The chain could not be queried completely. The same call may succeed later. */
export class ChainUnavailableError extends Error {
  override name = 'ChainUnavailableError';
}

/** The chain rejected the call: repeating it changes nothing. */
export class ChainRejectedError extends Error {
  override name = 'ChainRejectedError';
  /** The Move abort, if the transaction was rejected because of one */
  readonly abort: MoveAbortInfo | undefined;
  constructor(message: string, options: { abort?: MoveAbortInfo | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.abort = options.abort;
  }
}

export interface MoveAbortInfo {
  /** e.g. `account` */
  module: string | undefined;
  code: number;
}

/** The part of the SDK's execution error that both simulated and executed transactions report. */
interface ExecutionErrorLike {
  MoveAbort?: { abortCode: string; location?: { module?: string } };
}

/** The Move abort that made a transaction fail, or undefined if it failed for another reason. */
export function moveAbort(error: ExecutionErrorLike | undefined | null): MoveAbortInfo | undefined {
  if (!error?.MoveAbort) return undefined;
  return { module: error.MoveAbort.location?.module, code: Number(error.MoveAbort.abortCode) };
}

/** gRPC statuses for errors in the request itself. All other statuses count as temporary. */
const rejections: ReadonlySet<string> = new Set(
  [
    GrpcStatusCode.INVALID_ARGUMENT,
    GrpcStatusCode.NOT_FOUND,
    GrpcStatusCode.ALREADY_EXISTS,
    GrpcStatusCode.PERMISSION_DENIED,
    GrpcStatusCode.FAILED_PRECONDITION,
    GrpcStatusCode.OUT_OF_RANGE,
    GrpcStatusCode.UNIMPLEMENTED,
  ].map((status) => GrpcStatusCode[status]),
);

/**
 * Classifies any error of the SDK by gRPC status and error class, never by text. An unknown error counts as
 * unavailable, so that a network failure is never mistaken for a response.
 */
export function chainError(error: unknown): ChainUnavailableError | ChainRejectedError {
  if (error instanceof ChainUnavailableError || error instanceof ChainRejectedError) return error;
  if (error instanceof SimulationError)
    return new ChainRejectedError('the transaction would fail', {
      abort: moveAbort(error.executionError),
      cause: error,
    });
  if (error instanceof ObjectError && error.reason !== 'unknown')
    return new ChainRejectedError('there is no such object', { cause: error });
  if (error instanceof TransactionError)
    return new ChainRejectedError('there is no such transaction', { cause: error });
  if (error instanceof RpcError && rejections.has(error.code))
    return new ChainRejectedError(`the chain refused the call (${error.code})`, { cause: error });
  return new ChainUnavailableError('the chain is unreachable', { cause: error });
}
