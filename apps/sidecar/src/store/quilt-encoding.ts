import { encodeQuilt } from '@mysten/walrus';

/** What a patch of a quilt holds, and its name, which is ASCII: other names are ordered otherwise by Rust. */
export interface QuiltFile {
  identifier: string;
  contents: Uint8Array;
}

/** Columns of a patch: the first one, and the one behind the last. */
export type PatchRange = readonly [start: number, end: number];

export interface EncodedQuilt {
  bytes: Uint8Array;
  /** In the order of the files */
  ranges: readonly PatchRange[];
}

/** The bytes of a quilt, which the files alone decide. Throws for files that fit into none. */
export function encodeFiles({
  files,
  nShards,
}: {
  files: readonly QuiltFile[];
  nShards: number;
}): EncodedQuilt {
  const { quilt, index } = encodeQuilt({ blobs: [...files], numShards: nShards });
  const ranges = new Map(
    index.patches.map(({ identifier, startIndex, endIndex }): [string, PatchRange] => [
      identifier,
      [startIndex, endIndex],
    ]),
  );
  return { bytes: quilt, ranges: files.map(({ identifier }) => ranges.get(identifier)!) };
}

const patchVersion = 1;

/** The id by which a patch is read: quilt id, version, first column and the one behind the last (50 characters). */
export function patchId(quiltId: string, [start, end]: PatchRange): string {
  const place = Buffer.alloc(5);
  place.writeUInt8(patchVersion, 0);
  place.writeUInt16LE(start, 1);
  place.writeUInt16LE(end, 3);
  return Buffer.concat([Buffer.from(quiltId, 'base64url'), place]).toString('base64url');
}
