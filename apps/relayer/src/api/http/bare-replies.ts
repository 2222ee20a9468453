import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import { headers } from '@memrelay/protocol/headers';
import { errorBody } from './error-replies.ts';
import { requestIdOf } from './request-id.ts';

/** How long a client may take to read the response before its connection is closed. */
const lingerMs = 5_000;

const notHttp = 'This is not a valid HTTP request.';

const parserErrors: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

/** Answers input that Node could not parse as a request, and closes the connection. */
export function answerMalformed(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(cause);
    return;
  }
  answerOnSocket(socket, parserErrors[cause.code ?? ''] ?? 'invalid_request', randomUUID());
}

/** Answers requests that Node does not pass to the routes: CONNECT, and an `Expect` other than 100-continue. */
export function answerUnservable(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    answerOnSocket(socket, 'invalid_request', requestIdOf(request)),
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, fields, body } = replyOf('expectation_failed', requestIdOf(request));
    response.writeHead(status, fields).end(body);
  });
}

function replyOf(code: ErrorCode, requestId: string) {
  const error = new ApiError(code, code === 'invalid_request' ? { message: notHttp } : {});
  const body = JSON.stringify(errorBody(error, requestId));
  const fields = {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    [headers.requestId]: requestId,
  };
  return { status: error.status, fields, body };
}

function answerOnSocket(socket: Socket, code: ErrorCode, requestId: string): void {
  const { status, fields, body } = replyOf(code, requestId);
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => socket.destroy());
  socket.setTimeout(lingerMs, () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'));
}
