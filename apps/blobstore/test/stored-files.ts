import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The file with the content of a blob. */
export async function fileOf(dataDir: string, blobId: string): Promise<string> {
  const names = await readdir(join(dataDir, 'objects'), { recursive: true });
  const name = names.find((candidate) => candidate.includes(blobId));
  if (name === undefined) throw new Error(`${blobId} is not on disk`);
  return join(dataDir, 'objects', name);
}

/** The only file with block digests. */
export async function blockFileOf(dataDir: string): Promise<string> {
  const names = await readdir(join(dataDir, 'blocks'), { recursive: true });
  const [name, ...others] = names.filter((candidate) => candidate.length > 2);
  if (name === undefined || others.length > 0) throw new Error('there is not exactly one file with digests');
  return join(dataDir, 'blocks', name);
}

/** Changes the lowest bit of one byte. */
export async function flipBit(path: string, position: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, position);
    await handle.write(Buffer.from([byte.readUInt8() ^ 1]), 0, 1, position);
  } finally {
    await handle.close();
  }
}
