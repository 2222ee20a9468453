/** The few BCS forms that a quilt consists of. */

/** Tags of a patch. */
export type Tags = ReadonlyMap<string, string>;

/** An unsigned number in groups of seven bits, the lowest first. */
export function ulebBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function u16Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function stringBytes(text: string): Buffer {
  const utf8 = Buffer.from(text);
  return Buffer.concat([ulebBytes(utf8.length), utf8]);
}

/** A map of strings, in the one order that BCS allows: that of the serialized keys. */
export function tagsBytes(tags: Tags): Buffer {
  const entries = Array.from(tags, ([key, value]) => [stringBytes(key), stringBytes(value)] as const);
  entries.sort(([a], [b]) => a.compare(b));
  return Buffer.concat([ulebBytes(entries.length), ...entries.flat()]);
}
