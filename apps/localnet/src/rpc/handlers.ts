import type { GrpcTypes } from '@mysten/sui/grpc';

/** Stops when the client disconnects. */
export interface CallContext {
  signal: AbortSignal;
}

/**
 * One method's answer. Requests and responses are the generated messages; which ones is known to each handler
 * by its method's name, and the codec of that method is used on both sides.
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
