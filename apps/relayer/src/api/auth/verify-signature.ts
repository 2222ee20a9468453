import { hash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { signedMessage } from '@memrelay/protocol/signing';
import type { AuthHeaders } from './auth-headers.ts';
import { verifyStrict } from './ed25519.ts';

/** Throws `invalid_signature` unless the headers sign this method, path and query as sent, and these body bytes. */
export function verifySignature(
  auth: AuthHeaders,
  request: { method: string; url: string; body: Buffer },
): void {
  const message = signedMessage({
    timestamp: auth.timestamp,
    method: request.method,
    pathAndQuery: request.url,
    bodySha256: hash('sha256', request.body),
    nonce: auth.nonce,
    accountId: auth.accountId ?? '',
  });
  // Node delivers URL and headers as latin1 text; clients sign the bytes they send
  if (!verifyStrict(auth.publicKey, auth.signature, Buffer.from(message, 'latin1')))
    throw new ApiError('invalid_signature');
}
