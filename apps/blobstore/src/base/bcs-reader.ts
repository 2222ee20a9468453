import { readUleb128 } from '@memrelay/protocol/uleb128';

/** Lengths in BCS fit 31 bits. */
const maxLength = 2 ** 31 - 1;

/**
 * Reads one value after another and rejects invalid BCS: truncated input, lengths that are not canonical, text that
 * is not UTF-8, unsorted maps. (The reader of `@mysten/bcs` accepts all of these, and reads past the end of its
 * bytes.)
 */
export interface BcsReader {
  u8(): number;
  u16(): number;
  /** Rounded above 2^53. */
  u64(): number;
  uleb(): number;
  bytes(length: number): Buffer;
  string(): string;
  stringMap(): Map<string, string>;
  /** Throws unless everything has been read. */
  end(): void;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `refusal` creates the errors that the reader throws. The returned buffers share the memory of `source`. */
export function createBcsReader(source: Uint8Array, refusal: (problem: string) => Error): BcsReader {
  const input = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let position = 0;

  function take(length: number): Buffer {
    if (length > input.length - position) throw refusal('a value is longer than its bytes');
    position += length;
    return input.subarray(position - length, position);
  }

  const u8 = () => take(1).readUInt8();

  function uleb(): number {
    try {
      const value = readUleb128(u8, 5);
      if (value <= maxLength) return value;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    throw refusal('a length is not canonical');
  }

  function string(): string {
    const text = take(uleb());
    try {
      return utf8.decode(text);
    } catch {
      throw refusal('a text is not UTF-8');
    }
  }

  return {
    u8,
    u16: () => take(2).readUInt16LE(),
    u64: () => Number(take(8).readBigUInt64LE()),
    uleb,
    bytes: take,
    string,
    stringMap() {
      const entries: [string, string][] = [];
      let last: Buffer | undefined;
      for (let left = uleb(); left > 0; left -= 1) {
        const start = position;
        const key = string();
        const serialized = input.subarray(start, position);
        if (last !== undefined && last.compare(serialized) >= 0)
          throw refusal('the keys of a map are not in order');
        last = serialized;
        entries.push([key, string()]);
      }
      return new Map(entries);
    },
    end() {
      if (position !== input.length) throw refusal('there are bytes after the last value');
    },
  };
}
