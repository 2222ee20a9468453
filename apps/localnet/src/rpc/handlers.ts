import type { GrpcTypes } from '@mysten/sui/grpc';

/** Context of a call. `signal` aborts when the client disconnects. */
export interface CallContext {
  signal: AbortSignal;
}

/**
 * The handler of one method. Requests and responses are the generated messages of that method, which are decoded
 * and encoded with its codec.
 */
export interface MethodHandler {
  unary?: (request: never, context: CallContext) => object | Promise<object>;
  stream?: (request: never, context: CallContext) => AsyncIterable<object>;
}

/** Handlers by method name as in the .proto file, e.g. `GetObject`. */
export type ServiceHandlers = Readonly<Record<string, MethodHandler>>;

/** A typed unary handler. */
export function unary<Request extends object, Response extends object>(
  handle: (request: Request, context: CallContext) => Response | Promise<Response>,
): MethodHandler {
  return { unary: handle };
}

/** A typed server-streaming handler. */
export function stream<Request extends object, Response extends object>(
  handle: (request: Request, context: CallContext) => AsyncIterable<Response>,
): MethodHandler {
  return { stream: handle };
}

export type FieldMask = GrpcTypes.GetObjectRequest['readMask'];
