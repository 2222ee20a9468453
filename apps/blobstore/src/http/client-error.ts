import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorBody, malformedRequest } from '../base/api-error.ts';
import { corsHeaders } from './cors.ts';
import { requestIdOf } from './request-id.ts';

/** A request that the HTTP parser rejected before it reached a route. */
function describe(code: string): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('the request took too long to arrive', {
      httpStatus: 408,
      status: 'DEADLINE_EXCEEDED',
      reason: 'REQUEST_TIMEOUT',
    });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('the request headers are too large', {
      httpStatus: 431,
      status: 'INVALID_ARGUMENT',
      reason: 'HEADERS_TOO_LARGE',
    });
  }
  return malformedRequest('this is not an HTTP request');
}

/** Writes the error response directly to the connection and closes it. */
export function replyClientError(error: Error & { code: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = describe(error.code);
  const { httpStatus } = known.fields;
  const body = errorBody(known, '');
  const head = [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
    'connection: close',
    'access-control-allow-origin: *',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Responds to a request whose `Expect` is not `100-continue`, which does not reach the routes. */
export function replyExpectationFailed(request: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdOf(request);
  const refusal = new ApiError('the only supported expectation is 100-continue', {
    httpStatus: 417,
    status: 'INVALID_ARGUMENT',
    reason: 'EXPECTATION_FAILED',
  });
  const body = errorBody(refusal, requestId);
  response
    .writeHead(refusal.fields.httpStatus, {
      ...corsHeaders,
      'x-request-id': requestId,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}
