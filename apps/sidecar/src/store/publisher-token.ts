import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';

/** Long enough for a large body on a slow line; a token is used once. */
const lifeSeconds = 300;

/** What a token allows: exactly one store. */
export interface StoreClaims {
  /**
   * Bytes of the blob. Of a quilt the most that either its form or its packed bytes have: a publisher holds both to the
   * same claim.
   */
  bytes: { size: number } | { max_size: number };
  epochs: number;
  owner: string;
}

/**
 * Makes tokens for an authenticated publisher, HS256, as Walrus' publisher checks them: `exp`, `iat`, `jti`, and the
 * store that they are for. `secret` is text, or 0x and hex digits of the bytes, as the publisher is given it.
 */
export function publisherTokens(secret: string): (claims: StoreClaims) => Promise<string> {
  const key = /^0x(?:[0-9a-fA-F]{2})+$/.test(secret)
    ? Buffer.from(secret.slice(2), 'hex')
    : new TextEncoder().encode(secret);
  return ({ bytes, epochs, owner }) =>
    new SignJWT({ ...bytes, epochs, send_object_to: owner, jti: randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(`${lifeSeconds} s`)
      .sign(key);
}
