import { createHash, timingSafeEqual } from 'node:crypto';
import type { onRequestAsyncHookHandler } from 'fastify';
import { ApiError } from '../base/api-error.ts';

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function adminTokenRequired(): ApiError {
  return new ApiError('the admin token is required, as Authorization: Bearer', {
    httpStatus: 401,
    status: 'UNAUTHENTICATED',
    reason: 'ADMIN_TOKEN_REQUIRED',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** A hook that requires the token; its timing reveals nothing about the token. */
export function requireAdminToken(token: string): onRequestAsyncHookHandler {
  const expected = digestOf(token);
  return async ({ headers }) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (token === undefined || !timingSafeEqual(digestOf(token), expected)) throw adminTokenRequired();
  };
}
