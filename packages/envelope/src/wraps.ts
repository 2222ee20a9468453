import { concatBytes } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';

/** The private key of the envelope's pair, encrypted for key servers or for the owner's recovery key. */
export interface Wrap {
  type: number;
  bytes: Uint8Array;
}

export const wrapType = {
  /** Seal `EncryptedObject` of the private key */
  seal: 1,
  /** Owner recovery key: `pk 32 ‖ enc 32 ‖ ct 48` */
  recovery: 2,
} as const;

export const maxWraps = 4;
export const recoveryWrapLength = 112;

/** Each wrap as `type u8 ‖ length u16 ‖ bytes`. Throws `RangeError` unless there are 1 to 4 wraps with valid sizes. */
export function encodeWraps(wraps: readonly Wrap[]): Uint8Array {
  if (wraps.length < 1 || wraps.length > maxWraps) throw new RangeError('an envelope has 1 to 4 wraps');
  const parts = wraps.flatMap(({ type, bytes }) => {
    if (!Number.isInteger(type) || type < 0 || type > 0xff) throw new RangeError('wrap type must fit a byte');
    if (bytes.length > 0xffff) throw new RangeError('wrap longer than its length field can say');
    if (type === wrapType.recovery && bytes.length !== recoveryWrapLength)
      throw new RangeError('a recovery wrap has 112 bytes');
    return [Uint8Array.of(type, bytes.length & 0xff, bytes.length >> 8), bytes];
  });
  return concatBytes(...parts);
}

/**
 * Reads `count` wraps, which must fill `region` exactly. Unknown types are returned unchanged, so that a rewritten envelope
 * keeps them. Throws `EnvelopeError` `malformed`.
 */
export function decodeWraps(region: Uint8Array, count: number): Wrap[] {
  if (count < 1 || count > maxWraps) throw new EnvelopeError('malformed', 'wrap count must be 1 to 4');
  const wraps: Wrap[] = [];
  let offset = 0;
  for (let i = 0; i < count; i++) {
    if (region.length - offset < 3) throw new EnvelopeError('malformed', 'wraps end early');
    const type = region[offset]!;
    const length = region[offset + 1]! | (region[offset + 2]! << 8);
    offset += 3;
    if (region.length - offset < length)
      throw new EnvelopeError('malformed', 'a wrap is longer than the header');
    if (type === wrapType.recovery && length !== recoveryWrapLength)
      throw new EnvelopeError('malformed', 'a recovery wrap has 112 bytes');
    wraps.push({ type, bytes: region.slice(offset, offset + length) });
    offset += length;
  }
  if (offset !== region.length) throw new EnvelopeError('malformed', 'bytes after the last wrap');
  return wraps;
}
