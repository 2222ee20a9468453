import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';

/** Lifetime of a token: long enough to upload a large body over a slow connection. Each token is used once. */
const lifeSeconds = 300;

/** The claims of a token, which allows exactly one store. */
export interface StoreClaims {
  /**
   * Size of the blob in bytes. For a quilt, the larger of its form and its packed bytes: a publisher checks both against
   * the same claim.
   */
  bytes: { size: number } | { max_size: number };
  epochs: number;
  owner: string;
}

/**
 * Creates HS256 tokens for an authenticated publisher, as Walrus' publisher checks them: `exp`, `iat`, `jti`, and the claims
 * of one store. `secret` has the same form as in the publisher's configuration: text, or 0x and the bytes in hex.
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
