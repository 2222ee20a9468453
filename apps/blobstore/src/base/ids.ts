import { normalizeAddress, shortAddressPattern } from '@memrelay/protocol/address';
import { anyCaseHex32Pattern } from '@memrelay/protocol/bytes';
import { invalidIdFormat, invalidObjectId } from './api-error.ts';

/** The ids of blobs and of their objects, as text. */

const blobIdPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Whether `text` is a blob id: 32 bytes in base64url without padding, in canonical form. 43 characters encode 258
 * bits, so the last two must be zero. Other encodings of the same bytes are rejected, as by the real aggregator.
 */
export function isBlobId(text: string): boolean {
  return blobIdPattern.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}

/** Returns `text` if it is a blob id in its canonical spelling. Throws `invalidIdFormat` otherwise. */
export function requireBlobId(text: string): string {
  if (!isBlobId(text)) throw invalidIdFormat();
  return text;
}

/**
 * An object id in its canonical spelling, `0x` and 64 lower-case hex digits; undefined if `text` is not an object id.
 * As in Sui's own tools, leading zeros may be missing after `0x`, and `0x` before all 64 digits.
 */
export function parseObjectId(text: string): string | undefined {
  const isObjectId = shortAddressPattern.test(text) || anyCaseHex32Pattern.test(text);
  return isObjectId ? normalizeAddress(text) : undefined;
}

/** The same for a request. Throws `invalidObjectId` if `text` is not an object id. */
export function requireObjectId(text: string): string {
  const objectId = parseObjectId(text);
  if (objectId === undefined) throw invalidObjectId();
  return objectId;
}
