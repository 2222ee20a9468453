import { createHash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import type { ExportedSessionKey } from '@mysten/seal';

/** How long before its expiry Seal's client stops using a session, in milliseconds. */
const marginMs = 10_000;

/**
 * A session whose user signature was verified, or that we created ourselves. It contains a private key, which it hides from
 * loggers and `JSON.stringify`.
 */
export class DecryptSession {
  /** SHA-256 of the session's source, hex; used as a cache key */
  readonly id: string;
  /** The address that signed the session, in canonical form */
  readonly address: string;
  /** When Seal's client stops using it */
  readonly expiresAtMs: number;
  readonly #exported: ExportedSessionKey;

  constructor(exported: ExportedSessionKey, source: string) {
    this.id = createHash('sha256').update(source).digest('hex');
    this.address = exported.address;
    this.expiresAtMs = exported.creationTimeMs + exported.ttlMin * 60_000 - marginMs;
    this.#exported = { ...exported };
  }

  /** Plain data with the session's private key, for a worker thread. Never log it. */
  exportKey(): ExportedSessionKey {
    return { ...this.#exported };
  }
}

/** Why a credential was rejected; sent as `details.reason` of the error. */
export type RefusalReason =
  | 'malformed'
  | 'wrong_package'
  | 'wrong_address'
  | 'bad_ttl'
  | 'not_yet_valid'
  | 'expired'
  | 'bad_signature'
  | 'wrong_key';

const messages: Record<RefusalReason, string> = {
  malformed: 'The decrypt credential is malformed.',
  wrong_package: 'The session is for another package.',
  wrong_address: 'The session belongs neither to the signer of this request nor to the account owner.',
  bad_ttl: 'A session must be valid for 1 to 30 minutes.',
  not_yet_valid: 'The session was created in the future; check the clock of the caller.',
  expired: 'The session has expired.',
  bad_signature: 'The session is not signed by its address.',
  wrong_key: 'The delegate key is not the one that signed this request.',
};

/** 403 `decrypt_denied` with the reason, without any part of the credential. */
export function refuse(reason: RefusalReason): ApiError {
  return new ApiError('decrypt_denied', { message: messages[reason], details: { reason } });
}
