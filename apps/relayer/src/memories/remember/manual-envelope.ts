import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeHeader, envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { type Readers, readSealedBytes, type SealedBytes, whyOpaque } from '@memrelay/envelope/opaque-bytes';
import { ApiError } from '@memrelay/protocol/errors';

/** Bytes that a client encrypted. */
export interface ManualBytes {
  /** Undefined for bytes that are not exactly one envelope */
  header: EnvelopeHeader | undefined;
  sealed: SealedBytes | undefined;
}

/** What is known about such bytes in an account and namespace. */
export interface ManualEnvelope {
  /** The id of a memory's envelope of this account and namespace, by which a restore recognizes it */
  envelopeId: Buffer | undefined;
  /** No reader of the account can decrypt them */
  opaque: boolean;
}

export function readManualBytes(bytes: Buffer): ManualBytes {
  const header = headerOf(bytes);
  return { header, sealed: readSealedBytes(bytes, header) };
}

/**
 * Throws `invalid_request` for an envelope of this account that is not a memory: a tombstone forgets memories, and a
 * caller with only WRITE must not be able to upload one.
 */
export function judgeManualBytes({ header, sealed }: ManualBytes, readers: Readers): ManualEnvelope {
  const isOwn = header !== undefined && Buffer.compare(header.origin, readers.origin) === 0;
  if (isOwn && header.kind !== envelopeKind.memory) {
    const issue = { path: 'encrypted_data', message: 'is not the envelope of a memory' };
    throw new ApiError('invalid_request', { details: { issues: [issue] } });
  }
  const isHere = isOwn && Buffer.compare(header.tag, readers.tag) === 0;
  return {
    envelopeId: isHere ? Buffer.from(header.envelopeId) : undefined,
    opaque: whyOpaque(sealed, readers) !== undefined,
  };
}

function headerOf(bytes: Buffer): EnvelopeHeader | undefined {
  try {
    return parseHeader(bytes, bytes.length);
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}
