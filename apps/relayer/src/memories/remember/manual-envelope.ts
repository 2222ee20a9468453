import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeHeader, envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { type Readers, readSealedBytes, whyOpaque } from '@memrelay/envelope/opaque-bytes';
import { ApiError } from '@memrelay/protocol/errors';

/** What is known about bytes that a client encrypted. */
export interface ManualBytes {
  /** The id of a memory's envelope of this account and namespace, by which a restore recognizes it */
  envelopeId: Buffer | undefined;
  /** No reader of the account can decrypt them */
  opaque: boolean;
}

/**
 * Throws `invalid_request` for an envelope of this account that is not a memory: a tombstone forgets memories, and a
 * caller with only WRITE must not be able to upload one.
 */
export function readManualBytes(bytes: Buffer, readers: Readers): ManualBytes {
  const header = headerOf(bytes);
  const isOwn = header !== undefined && Buffer.compare(header.origin, readers.origin) === 0;
  if (isOwn && header.kind !== envelopeKind.memory) {
    const issue = { path: 'encrypted_data', message: 'is not the envelope of a memory' };
    throw new ApiError('invalid_request', { details: { issues: [issue] } });
  }
  const isHere = isOwn && Buffer.compare(header.tag, readers.tag) === 0;
  return {
    envelopeId: isHere ? Buffer.from(header.envelopeId) : undefined,
    opaque: whyOpaque(readSealedBytes(bytes), readers) !== undefined,
  };
}

/** Undefined for bytes that are not exactly one envelope. */
function headerOf(bytes: Buffer): EnvelopeHeader | undefined {
  try {
    return parseHeader(bytes, bytes.length);
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}
