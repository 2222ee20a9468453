import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { relayedHeaders } from '@memrelay/protocol/tool-server';
import type { FastifyRequest } from 'fastify';

/**
 * Lets only the relayer in. Its token has a header of its own here, since `authorization` is the client's. What else the
 * request says of where it comes from is the relayer's word.
 */
export function requireRelayer(token: string): (request: FastifyRequest) => Promise<void> {
  const digest = (value: string): Buffer => createHmac('sha256', 'compare').update(value).digest();
  const expected = digest(token);
  return async (request) => {
    const given = request.headers[relayedHeaders.token];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected))
      throw new ApiError('missing_auth_header');
  };
}
