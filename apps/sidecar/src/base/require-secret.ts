import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyRequest } from 'fastify';

/**
 * Creates a hook that accepts a request only if the header has this value, compared in constant time. The hook
 * throws `missing_auth_header`.
 */
export function requireSecret(header: string, secret: string): (request: FastifyRequest) => Promise<void> {
  const digest = (value: string): Buffer => createHmac('sha256', 'compare').update(value).digest();
  const expected = digest(secret);
  return async (request) => {
    const sent = request.headers[header];
    if (typeof sent !== 'string' || !timingSafeEqual(digest(sent), expected))
      throw new ApiError('missing_auth_header');
  };
}
