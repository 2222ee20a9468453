import { sessionMessage, sessionTtlMinutes } from '@memrelay/protocol/enc-session';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519';
import { toBase64 } from '@mysten/sui/utils';
import { verifyPersonalMessageSignature } from '@mysten/sui/verify';
import type { FetchKeyRequest } from './fetch-key-request.ts';
import { KeyServerError } from './key-server-error.ts';

const requestFormat = bcs.struct('RequestFormat', {
  ptb: bcs.byteVector(),
  encKey: bcs.byteVector(),
  encVerificationKey: bcs.byteVector(),
});

/**
 * The bytes that a session key signs for one request. They bind the key that encrypts the response to the request.
 */
export function signedRequest(
  ptb: Uint8Array,
  encKey: Uint8Array,
  encVerificationKey: Uint8Array,
): Uint8Array {
  return requestFormat.serialize({ ptb, encKey, encVerificationKey }).toBytes();
}

/**
 * Checks that the certificate's session has not expired, that its user signed it for `originalPackageId`, and that
 * the session key signed this request. Throws `InvalidCertificate`, `InvalidSignature` or
 * `InvalidSessionSignature`, in that order.
 */
export async function verifyRequest(
  request: FetchKeyRequest,
  ptb: Uint8Array,
  originalPackageId: string,
  nowMs: number,
): Promise<void> {
  const { certificate } = request;
  const { ttlMin, creationTimeMs } = certificate;
  const age = nowMs - creationTimeMs;
  const validTtl = ttlMin >= sessionTtlMinutes.min && ttlMin <= sessionTtlMinutes.max;
  if (!validTtl || age < 0 || age > ttlMin * 60_000) {
    throw new KeyServerError('InvalidCertificate', 'Invalid certificate time or ttl');
  }
  const message = sessionMessage({
    packageId: originalPackageId,
    ttlMin,
    creationTimeMs,
    sessionPublicKey: toBase64(certificate.sessionKey),
  });
  await verifyPersonalMessageSignature(new TextEncoder().encode(message), certificate.signature, {
    address: certificate.user,
  }).catch(() => {
    throw new KeyServerError('InvalidSignature', 'Invalid user signature');
  });
  const signed = signedRequest(ptb, request.encKey, request.encVerificationKey);
  const valid = await new Ed25519PublicKey(certificate.sessionKey)
    .verify(signed, request.requestSignature)
    .catch(() => false);
  if (!valid) throw new KeyServerError('InvalidSessionSignature', 'Invalid session key signature');
}
