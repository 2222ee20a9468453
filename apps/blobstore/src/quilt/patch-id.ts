import { u16Bytes } from './bcs-writer.ts';

/** Which columns of which quilt a patch lies in. */
export interface PatchLocation {
  /** Blob id of the quilt */
  quiltId: string;
  start: number;
  /** Exclusive */
  end: number;
}

const version = 1;
const quiltIdBytes = 32;
const idBytes = quiltIdBytes + 1 + 2 + 2;

/** The id of a patch: quilt id, version, first column and the one after the last, in base64url (50 characters). */
export function patchIdOf({ quiltId, start, end }: PatchLocation): string {
  const id = [Buffer.from(quiltId, 'base64url'), Buffer.from([version]), u16Bytes(start), u16Bytes(end)];
  return Buffer.concat(id).toString('base64url');
}

/** The parts of a patch id; undefined for anything that `patchIdOf` does not create. */
export function parsePatchId(text: string): PatchLocation | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== idBytes || bytes.toString('base64url') !== text) return undefined;
  if (bytes.readUInt8(quiltIdBytes) !== version) return undefined;
  const start = bytes.readUInt16LE(quiltIdBytes + 1);
  const end = bytes.readUInt16LE(quiltIdBytes + 3);
  // Column 0 belongs to the index.
  if (start === 0 || start >= end) return undefined;
  return { quiltId: bytes.toString('base64url', 0, quiltIdBytes), start, end };
}
