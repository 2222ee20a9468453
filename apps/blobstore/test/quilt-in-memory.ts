import { planQuilt, type QuiltFile } from '../src/quilt/plan-quilt.ts';
import { writeQuilt } from '../src/quilt/write-quilt.ts';

/** A file of a quilt with its content. */
export interface MemoryFile extends QuiltFile {
  content: Buffer;
}

export function memoryFile(
  identifier: string,
  content: string | Uint8Array,
  tags: Record<string, string> = {},
): MemoryFile {
  const bytes = Buffer.from(content);
  return { identifier, content: bytes, size: bytes.length, tags: new Map(Object.entries(tags)) };
}

/** The bytes of a quilt, and the locations of its patches. */
export async function encodeInMemory(files: MemoryFile[], nShards: number) {
  const plan = planQuilt(files, nShards);
  const bands: Buffer[] = [];
  const content = async ({ content }: MemoryFile, offset: number, length: number) =>
    content.subarray(offset, offset + length);
  for await (const band of writeQuilt(plan, content)) bands.push(band);
  return { quilt: Buffer.concat(bands), plan };
}
