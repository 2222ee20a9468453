import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorBody, malformedRequest } from './api-error.ts';

/** What the HTTP parser refused, before there was a request. */
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

/** Answers on the bare connection and closes it. */
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
