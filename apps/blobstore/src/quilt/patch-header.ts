import { createBcsReader } from '../base/bcs-reader.ts';
import { stringBytes, type Tags, tagsBytes, u16Bytes } from './bcs-writer.ts';
import { InvalidQuiltError, invalidQuilt, QuiltInputError } from './quilt-errors.ts';

/** The header before the content of a patch, in its columns. */
export interface PatchHeader {
  identifier: string;
  tags: Tags;
  /** Bytes from the start of its first column to its content */
  headerBytes: number;
  /** Bytes of its content */
  size: number;
}

const version = 1;
/** Bytes of the version, the length of everything that follows, and the mask */
const fixedBytes = 6;
const tagsBit = 1;
const maxU16 = 2 ** 16 - 1;
const maxU32 = 2 ** 32 - 1;

/** Version, length and mask; then the identifier and, if there are any, the tags, each preceded by its length. */
export function encodePatchHeader(identifier: string, tags: Tags, size: number): Buffer {
  const name = stringBytes(identifier);
  const extension = [u16Bytes(name.length), name];
  if (tags.size > 0) {
    const serialized = tagsBytes(tags);
    if (serialized.length > maxU16)
      throw new QuiltInputError('the tags of a file are longer than 65535 bytes');
    extension.push(u16Bytes(serialized.length), serialized);
  }
  const length = extension.reduce((sum, part) => sum + part.length, size);
  if (length > maxU32) throw new QuiltInputError('a file in a quilt must be shorter than 4 GiB');
  const fixed = Buffer.alloc(fixedBytes);
  fixed.writeUInt8(version);
  fixed.writeUInt32LE(length, 1);
  fixed.writeUInt8(tags.size > 0 ? tagsBit : 0, fixedBytes - 1);
  return Buffer.concat([fixed, ...extension]);
}

/**
 * The header at the start of a patch's columns. `columns` must have at least 131,080 bytes (the longest header), or
 * all `available` bytes. Throws `InvalidQuiltError`.
 */
export function decodePatchHeader(columns: Buffer, available: number): PatchHeader {
  let position = 0;
  function take(length: number): Buffer {
    if (length > columns.length - position) throw new InvalidQuiltError('a patch is cut off');
    position += length;
    return columns.subarray(position - length, position);
  }

  if (take(1).readUInt8() !== version) throw new InvalidQuiltError('these columns do not contain a patch');
  const length = take(4).readUInt32LE();
  const mask = take(1).readUInt8();
  const name = createBcsReader(take(take(2).readUInt16LE()), invalidQuilt);
  const identifier = name.string();
  name.end();
  let tags: Tags = new Map();
  if ((mask & tagsBit) !== 0) {
    const reader = createBcsReader(take(take(2).readUInt16LE()), invalidQuilt);
    tags = reader.stringMap();
    reader.end();
  }
  const size = length - (position - fixedBytes);
  if (size < 0 || position + size > available)
    throw new InvalidQuiltError('a patch has an impossible length');
  return { identifier, tags, headerBytes: position, size };
}
