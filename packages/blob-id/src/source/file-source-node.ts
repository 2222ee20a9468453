import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { BlobSource } from './blob-source.ts';

/**
 * Passes the content of a local file to `use`. The size is the length of the file when it is opened. Throws the
 * system's error if the file cannot be read, and an error if it is truncated while being read.
 */
export function withFileSource<T>(path: string, use: (source: BlobSource) => T): T {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    return use({ size, read: (offset, into) => readFully(file, offset, into) });
  } finally {
    closeSync(file);
  }
}

function readFully(file: number, offset: number, into: Uint8Array): void {
  let done = 0;
  while (done < into.byteLength) {
    const read = readSync(file, into, done, into.byteLength - done, offset + done);
    if (read === 0)
      throw new Error(`the file ends at ${offset + done} bytes: it was truncated while being read`);
    done += read;
  }
}
