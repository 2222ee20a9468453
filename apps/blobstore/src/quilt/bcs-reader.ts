import type { Tags } from './bcs-writer.ts';
import { InvalidQuiltError } from './quilt-errors.ts';

/** Lengths in BCS fit 31 bits. */
const maxLength = 2 ** 31 - 1;

/** Reads one value behind the other. Each throws `InvalidQuiltError` where BCS does not allow the bytes, or they end. */
export interface BcsReader {
  u16(): number;
  uleb(): number;
  string(): string;
  tags(): Tags;
  /** Throws unless everything has been read. */
  end(): void;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function createBcsReader(bytes: Buffer): BcsReader {
  let position = 0;

  function take(length: number): Buffer {
    if (length > bytes.length - position) throw new InvalidQuiltError('a value is longer than its bytes');
    position += length;
    return bytes.subarray(position - length, position);
  }

  function uleb(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 0x80) {
      const byte = take(1).readUInt8();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if ((byte === 0 && factor > 1) || value > maxLength) break;
        return value;
      }
    }
    throw new InvalidQuiltError('a length is not canonical');
  }

  function string(): string {
    const text = take(uleb());
    try {
      return utf8.decode(text);
    } catch {
      throw new InvalidQuiltError('a text is not UTF-8');
    }
  }

  return {
    u16: () => take(2).readUInt16LE(),
    uleb,
    string,
    tags() {
      const tags: [string, string][] = [];
      let last: Buffer | undefined;
      for (let left = uleb(); left > 0; left -= 1) {
        const start = position;
        const key = string();
        const serialized = bytes.subarray(start, position);
        if (last !== undefined && last.compare(serialized) >= 0)
          throw new InvalidQuiltError('tags are not in order');
        last = serialized;
        tags.push([key, string()]);
      }
      return new Map(tags);
    },
    end() {
      if (position !== bytes.length) throw new InvalidQuiltError('there are bytes behind a value');
    },
  };
}
