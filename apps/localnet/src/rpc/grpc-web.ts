import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import type { Route } from './services.ts';

/** A call as received, in the text (base64) or binary form of gRPC-web. */
export interface GrpcWebCall {
  path: string;
  contentType: string;
  body: Uint8Array;
  signal: AbortSignal;
}

export interface GrpcWebAnswer {
  /** Without parameters, because clients compare it exactly */
  contentType: string;
  /** A stream sends each message as a chunk when it is available; a unary call sends a single chunk */
  chunks: AsyncIterable<Uint8Array>;
}

const dataFrame = 0x00;
const trailerFrame = 0x80;
const headerBytes = 5;

/** Handles calls to the services. Errors are returned in the trailer, as in gRPC. */
export function createGrpcWebHandler(routes: ReadonlyMap<string, Route>, onError: (error: unknown) => void) {
  return (call: GrpcWebCall): GrpcWebAnswer => {
    const text = call.contentType.startsWith('application/grpc-web-text');
    return {
      contentType: text ? 'application/grpc-web-text+proto' : 'application/grpc-web+proto',
      chunks: encode(frames(routes, call, text, onError), text),
    };
  };
}

async function* encode(source: AsyncIterable<Uint8Array>, text: boolean): AsyncGenerator<Uint8Array> {
  for await (const frame of source) yield text ? Buffer.from(Buffer.from(frame).toString('base64')) : frame;
}

async function* frames(
  routes: ReadonlyMap<string, Route>,
  call: GrpcWebCall,
  text: boolean,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let trailer = encodeTrailer(grpcStatus.ok, '');
  // The last message is sent together with the trailer, so that a unary response is one chunk.
  let pending: Uint8Array | undefined;
  try {
    const route = routes.get(call.path);
    if (!route?.handler) throw new RequestRefused(grpcStatus.unimplemented, `${call.path} is not supported`);
    const request = parseMessage(route, decodeRequest(call.body, text));
    const { unary, stream } = route.handler;
    const context = { signal: call.signal };
    if (unary) pending = frame(dataFrame, route.method.O.toBinary(await unary(request, context)));
    else if (stream) {
      for await (const message of stream(request, context))
        yield frame(dataFrame, route.method.O.toBinary(message));
      if (call.signal.aborted) throw new RequestRefused(grpcStatus.cancelled, 'the client disconnected');
    }
  } catch (error) {
    trailer = trailerOf(error, onError);
  }
  yield pending ? Buffer.concat([pending, trailer]) : trailer;
}

function decodeRequest(body: Uint8Array, text: boolean): Uint8Array {
  const bytes = text ? Buffer.from(Buffer.from(body).toString('latin1'), 'base64') : Buffer.from(body);
  if (
    bytes.length < headerBytes ||
    bytes[0] !== dataFrame ||
    bytes.readUInt32BE(1) > bytes.length - headerBytes
  ) {
    throw new RequestRefused(grpcStatus.invalidArgument, 'the body must be exactly one gRPC-web message');
  }
  return bytes.subarray(headerBytes, headerBytes + bytes.readUInt32BE(1));
}

function parseMessage({ method }: Route, bytes: Uint8Array): never {
  try {
    return method.I.fromBinary(bytes) as never;
  } catch {
    throw new RequestRefused(grpcStatus.invalidArgument, `the message is not a ${method.I.typeName}`);
  }
}

function trailerOf(error: unknown, onError: (error: unknown) => void): Uint8Array {
  if (error instanceof RequestRefused) return encodeTrailer(error.status, error.message);
  onError(error);
  return encodeTrailer(grpcStatus.internal, 'internal error');
}

function encodeTrailer(status: number, message: string): Uint8Array {
  const lines = [
    `grpc-status:${status}`,
    ...(message ? [`grpc-message:${encodeURIComponent(message)}`] : []),
  ];
  return frame(trailerFrame, Buffer.from(`${lines.join('\r\n')}\r\n`));
}

function frame(kind: number, bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  header[0] = kind;
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}
