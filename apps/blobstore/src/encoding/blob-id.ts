/**
 * Blob ids as text: 32 bytes in base64url without padding, always 43 characters.
 */

const blobIdPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Whether `text` is a blob id in its one canonical spelling. 43 characters hold 258 bits, so the last two must
 * be zero; another spelling of the same bytes is refused, as the real aggregator does.
 */
export function isBlobId(text: string): boolean {
  return blobIdPattern.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}
