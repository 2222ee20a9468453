import { normalizeAddress } from '@memrelay/protocol/address';
import { anyCaseHex32Pattern } from '@memrelay/protocol/bytes';
import { fromBase64 } from '@mysten/sui/utils';
import { KeyServerError } from './key-server-error.ts';

/** The requester and their session key. The field names are Seal's. */
export interface Certificate {
  user: string;
  sessionKey: Uint8Array;
  creationTimeMs: number;
  ttlMin: number;
  /** Sui personal-message signature of `user`, base64 */
  signature: string;
  mvrName: string | undefined;
}

export interface FetchKeyRequest {
  /** base64 */
  ptb: string;
  /** Compressed G1 point to which the response is encrypted */
  encKey: Uint8Array;
  /** Compressed G2 point of the same key */
  encVerificationKey: Uint8Array;
  /** Ed25519 signature of the session key over `signedRequest` */
  requestSignature: Uint8Array;
  certificate: Certificate;
}

/** Parses the body of `POST /v1/fetch_key`. Throws `MalformedRequest` with the name of the invalid field. */
export function parseFetchKeyRequest(body: unknown): FetchKeyRequest {
  const root = record(body, 'body');
  const certificate = record(root.certificate, 'certificate');
  const user = text(certificate.user, 'user');
  if (!anyCaseHex32Pattern.test(user.replace(/^0x/i, ''))) throw malformed('user');
  const mvrName = certificate.mvr_name;
  return {
    ptb: text(root.ptb, 'ptb'),
    encKey: bytes(root.enc_key, 48, 'enc_key'),
    encVerificationKey: bytes(root.enc_verification_key, 96, 'enc_verification_key'),
    requestSignature: bytes(root.request_signature, 64, 'request_signature'),
    certificate: {
      user: normalizeAddress(user),
      sessionKey: bytes(certificate.session_vk, 32, 'session_vk'),
      creationTimeMs: unsigned(certificate.creation_time, Number.MAX_SAFE_INTEGER, 'creation_time'),
      ttlMin: unsigned(certificate.ttl_min, 0xffff, 'ttl_min'),
      signature: text(certificate.signature, 'signature'),
      mvrName: mvrName === undefined || mvrName === null ? undefined : text(mvrName, 'mvr_name'),
    },
  };
}

function record(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(field);
  return value as Record<string, unknown>;
}

function text(value: unknown, field: string): string {
  if (typeof value !== 'string') throw malformed(field);
  return value;
}

function unsigned(value: unknown, max: number, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > max)
    throw malformed(field);
  return value as number;
}

function bytes(value: unknown, length: number, field: string): Uint8Array {
  const base64 = text(value, field);
  let decoded: Uint8Array;
  try {
    decoded = fromBase64(base64);
  } catch {
    throw malformed(field);
  }
  if (decoded.length !== length) throw malformed(field);
  return decoded;
}

function malformed(field: string): KeyServerError {
  return new KeyServerError('MalformedRequest', `Invalid field ${field}`);
}
