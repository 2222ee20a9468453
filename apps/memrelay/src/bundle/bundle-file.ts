import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isBundle } from '@memrelay/sdk/bundle/bundle-key';
import { fileTrouble } from '../terminal/explain-error.ts';

/**
 * Whether the file is a bundle of `memrelay export`, judged by its first bytes. False for a directory or a device.
 * Throws an `ExitError` that names the file if it cannot be read.
 */
export async function isBundleFile(path: string): Promise<boolean> {
  // Opening a pipe waits for its writer
  if (!(await stat(path)).isFile()) return false;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return isBundle(buffer.subarray(0, bytesRead));
  } catch (error) {
    throw fileTrouble(error, path) ?? error;
  } finally {
    await file.close();
  }
}

/** Reads a file in chunks. Throws an `ExitError` that names the file if it cannot be read. */
export async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw fileTrouble(error, path) ?? error;
  }
}
