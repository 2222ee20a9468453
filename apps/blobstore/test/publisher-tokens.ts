import { randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { AuthSettings } from '../src/auth/publisher-auth.ts';
import { tokenKeyOf } from '../src/auth/token-key.ts';

export const secret = 'a secret of the publisher, 32 bytes';

export const nowSec = (): number => Math.floor(Date.now() / 1000);

/** Settings of a publisher that requires tokens under `secret`. */
export function authSettings(changes: Partial<AuthSettings> = {}): AuthSettings {
  return {
    key: tokenKeyOf('HS256', secret),
    expiringSec: 0,
    verifyUpload: false,
    cache: { size: 10_000, refreshIntervalMs: 5000 },
    ...changes,
  };
}

/** A token that expires in a minute, with a unique `jti`, signed with HS256. */
export function tokenOf(claims: JWTPayload & Record<string, unknown> = {}, key = secret): Promise<string> {
  return new SignJWT({ exp: nowSec() + 60, jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(Buffer.from(key));
}

export function putWith(url: string, token: string | undefined, query = '', body = 'x'): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(`${url}/v1/blobs${query}`, { method: 'PUT', headers, body });
}
