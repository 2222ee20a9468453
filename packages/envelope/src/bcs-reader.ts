import { readUleb128 } from '@memrelay/protocol/uleb128';
import { EnvelopeError } from './envelope-error.ts';

function refuse(message: string): never {
  throw new EnvelopeError('malformed', message);
}

/**
 * A strict reader of BCS (Binary Canonical Serialization): every length is compared with the remaining bytes before reading,
 * lengths must be in their shortest form, and `end` refuses trailing bytes. Throws `EnvelopeError` `malformed`. Returned
 * arrays are views.
 */
export function bcsReader(bytes: Uint8Array) {
  let offset = 0;

  function take(length: number): Uint8Array {
    if (length > bytes.length - offset) refuse('BCS value ends early');
    offset += length;
    return bytes.subarray(offset - length, offset);
  }
  const u8 = (): number => take(1)[0]!;

  /** ULEB128. Three bytes (up to 2 million) are more than any wrap needs. */
  function length(): number {
    try {
      return readUleb128(u8, 3);
    } catch (error) {
      if (error instanceof RangeError) refuse(`BCS length: ${error.message}`);
      throw error;
    }
  }

  return {
    take,
    u8,
    vector: (): Uint8Array => take(length()),
    /** `itemLength` is the encoded size of one item, so that a count is refused before items are read. */
    list<Item>(itemLength: number, readItem: () => Item): Item[] {
      const count = length();
      if (count * itemLength > bytes.length - offset) refuse('BCS list longer than its bytes');
      return Array.from({ length: count }, readItem);
    },
    option(): Uint8Array | undefined {
      const flag = u8();
      if (flag > 1) refuse('BCS option flag out of range');
      return flag === 1 ? take(length()) : undefined;
    },
    end(): void {
      if (offset !== bytes.length) refuse('bytes after the BCS value');
    },
  };
}
