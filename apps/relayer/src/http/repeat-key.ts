import { ApiError } from '@memrelay/protocol/errors';
import { headers } from '@memrelay/protocol/headers';
import type { FastifyRequest } from 'fastify';
import type { RepeatableWrite } from '../jobs/idempotency.ts';
import { sha256 } from '../sha256.ts';

/** The idempotency key of a request with what it covers, when the caller sent one. */
export type RepeatKey = Pick<RepeatableWrite, 'route' | 'key' | 'bodySha256'>;

/**
 * `repeatTag`: what a client tells of a body that is another each time, because it seals anew (hex). Throws
 * `invalid_request` on a key of another form than 1–128 visible ASCII characters.
 */
export function repeatKeyOf(request: FastifyRequest, repeatTag?: string): RepeatKey | undefined {
  const key = request.headers[headers.idempotencyKey];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[!-~]{1,128}$/.test(key))
    throw new ApiError('invalid_request', {
      details: {
        issues: [{ path: headers.idempotencyKey, message: 'must be 1 to 128 visible ASCII characters' }],
      },
    });
  return {
    route: request.routeOptions.url!,
    key,
    bodySha256: repeatTag === undefined ? sha256(request.rawBody) : Buffer.from(repeatTag, 'hex'),
  };
}
