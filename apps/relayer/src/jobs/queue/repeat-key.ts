import { ApiError } from '@memrelay/protocol/errors';
import { idempotencyKeyField } from '@memrelay/protocol/fields';
import { headers } from '@memrelay/protocol/headers';
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../base/sha256.ts';
import type { RepeatableWrite } from './idempotency.ts';

/** The idempotency key of a request and what it covers. */
export type RepeatKey = Pick<RepeatableWrite, 'route' | 'key' | 'bodySha256'>;

interface RepeatableBody {
  idempotency_key?: string | undefined;
  /** Hex digest that stays the same when a client seals the same text again, so that its body differs each time */
  repeat_tag?: string | undefined;
}

/**
 * The idempotency key of a request, undefined when it has none. A header wins over the field of the body. Throws
 * `invalid_request` unless the header is 1–128 visible ASCII characters.
 */
export function repeatKeyOf(request: FastifyRequest, body: RepeatableBody): RepeatKey | undefined {
  const { repeat_tag: repeatTag } = body;
  const header = request.headers[headers.idempotencyKey];
  const key = header ?? body.idempotency_key;
  if (key === undefined) return undefined;
  const read = idempotencyKeyField.safeParse(key);
  if (!read.success)
    throw new ApiError('invalid_request', {
      details: {
        issues: [{ path: headers.idempotencyKey, message: read.error.issues[0]!.message }],
      },
    });
  return {
    route: request.routeOptions.url!,
    key: read.data,
    bodySha256: repeatTag === undefined ? sha256(request.rawBody) : Buffer.from(repeatTag, 'hex'),
  };
}
