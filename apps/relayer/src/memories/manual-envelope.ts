import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeHeader, envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { ApiError } from '@memrelay/protocol/errors';

/**
 * The id in the header of an envelope that a client made itself; `undefined` for bytes of another format. Throws
 * `invalid_request` unless it is a memory of this account and namespace: a tombstone forgets, which WRITE alone must
 * not be able to do by way of an upload.
 */
export function manualEnvelopeId(bytes: Buffer, origin: Uint8Array, tag: Uint8Array): Buffer | undefined {
  if (bytes.subarray(0, 4).toString('latin1') !== 'MRE1') return undefined;
  const header = headerOf(bytes);
  if (Buffer.compare(header.origin, origin) !== 0 || Buffer.compare(header.tag, tag) !== 0)
    throw refusal('is an envelope of another account or namespace');
  if (header.kind !== envelopeKind.memory) throw refusal('is not the envelope of a memory');
  return Buffer.from(header.envelopeId);
}

function headerOf(bytes: Buffer): EnvelopeHeader {
  try {
    return parseHeader(bytes, bytes.length);
  } catch (error) {
    if (error instanceof EnvelopeError) throw refusal('is a damaged envelope');
    throw error;
  }
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_request', { details: { issues: [{ path: 'encrypted_data', message }] } });
}
