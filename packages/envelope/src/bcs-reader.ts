import { EnvelopeError } from './envelope-error.ts';

function refuse(message: string): never {
  throw new EnvelopeError('malformed', message);
}

/**
 * A strict reader of BCS (Binary Canonical Serialization): every length is checked against what is left before
 * anything is taken, lengths must be in their shortest form, and `end` refuses trailing bytes. Throws
 * `EnvelopeError` `malformed`. Returned arrays are views.
 */
export function bcsReader(bytes: Uint8Array) {
  let offset = 0;

  function take(length: number): Uint8Array {
    if (length > bytes.length - offset) refuse('BCS value ends early');
    offset += length;
    return bytes.subarray(offset - length, offset);
  }
  const u8 = (): number => take(1)[0]!;

  /** ULEB128; three bytes (2 million) are beyond any wrap. */
  function length(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return byte === 0 && shift > 0 ? refuse('BCS length not in shortest form') : value;
    }
    return refuse('BCS length too long');
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
