/**
 * Sui addresses and object ids: 32 bytes, written as `0x` and hex digits. The patterns differ in what they accept:
 *
 * | Pattern | `0x` | Digits | Case |
 * |---|---|---|---|
 * | `canonicalAddressPattern` | required | 64 | lower |
 * | `addressPattern` | required | 64 | either |
 * | `shortAddressPattern` | required | 1 to 64 | either |
 * | `looseAddressPattern` | optional | 1 to 64 | either |
 */

/** Exactly what `normalizeAddress` returns: the form that is stored and compared. */
export const canonicalAddressPattern = /^0x[0-9a-f]{64}$/;

/** A full address in either case: the form that people and clients must send. */
export const addressPattern = /^0x[0-9a-fA-F]{64}$/;

/** Leading zeros may be left out, as in `0x2`. For configuration and chain data, never for requests of clients. */
export const shortAddressPattern = /^0x[0-9a-fA-F]{1,64}$/;

/** The form that Sui's own RPC accepts: leading zeros and `0x` may be left out. */
export const looseAddressPattern = /^(?:0x)?[0-9a-fA-F]{1,64}$/;

/**
 * Returns an address in lower case, with `0x` and all 64 digits, so that equal addresses become equal texts. Does not
 * check its argument: test it with one of the patterns first.
 */
export function normalizeAddress(text: string): string {
  const lower = text.toLowerCase();
  return `0x${(lower.startsWith('0x') ? lower.slice(2) : lower).padStart(64, '0')}`;
}
