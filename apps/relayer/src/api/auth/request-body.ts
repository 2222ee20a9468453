import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '@memrelay/protocol/errors';

/** Throws `payload_too_large` when the announced length is over the limit, before a byte is read. */
export function checkContentLength(request: IncomingMessage, limitBytes: number): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limitBytes) throw new ApiError('payload_too_large');
}

export interface BodyLimits {
  bytes: number;
  deadlineMs: number;
  /** Called with the length of each chunk; stops reading by throwing an `ApiError` */
  onBytes?: (bytes: number) => void;
}

/**
 * Reads a whole body. Throws `payload_too_large`, `request_timeout`, `invalid_request` when the connection closes
 * before the end, and anything `onBytes` throws.
 */
export function readBody(body: Readable, limits: BodyLimits): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => stop(new ApiError('request_timeout')), limits.deadlineMs);

  function stop(error: unknown): void {
    clearTimeout(timer);
    body.off('data', onData).off('end', onEnd).off('close', onClose);
    body.pause();
    reject(error);
  }
  function onData(chunk: Buffer): void {
    length += chunk.length;
    try {
      limits.onBytes?.(chunk.length);
    } catch (error) {
      stop(error);
      return;
    }
    if (length > limits.bytes) stop(new ApiError('payload_too_large'));
    else chunks.push(chunk);
  }
  function onEnd(): void {
    clearTimeout(timer);
    body.off('close', onClose);
    resolve(Buffer.concat(chunks, length));
  }
  function onClose(): void {
    stop(new ApiError('invalid_request', { message: 'The request body broke off.' }));
  }
  body.on('data', onData).on('end', onEnd).on('close', onClose);
  body.on('error', () => undefined);
  return promise;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body; undefined for an empty body. Throws `invalid_request`. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    // The parser's message would quote the body
    throw new ApiError('invalid_request', { details: { issues: [{ path: '', message: 'must be JSON' }] } });
  }
}
