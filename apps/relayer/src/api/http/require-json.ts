import type { IncomingMessage } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';

/** Throws `unsupported_media_type` unless the body is announced as JSON. */
export function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new ApiError('unsupported_media_type');
}
