import { encodeQuilt } from '@mysten/walrus';

/**
 * The content of a quilt patch, and its name. The name must be ASCII, because Rust sorts other names differently.
 */
export interface QuiltFile {
  identifier: string;
  contents: Uint8Array;
}

/** Columns of a patch: the first one, and the one after the last. */
export type PatchRange = readonly [start: number, end: number];

export interface EncodedQuilt {
  bytes: Uint8Array;
  /** In the order of the files */
  ranges: readonly PatchRange[];
}

/** Packs files into the bytes of a quilt, deterministically. Throws if the files do not fit into a quilt. */
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

/** The id by which a patch is read: quilt id, version, first column, and the one after the last (50 characters). */
export function patchId(quiltId: string, [start, end]: PatchRange): string {
  const suffix = Buffer.alloc(5);
  suffix.writeUInt8(patchVersion, 0);
  suffix.writeUInt16LE(start, 1);
  suffix.writeUInt16LE(end, 3);
  return Buffer.concat([Buffer.from(quiltId, 'base64url'), suffix]).toString('base64url');
}
