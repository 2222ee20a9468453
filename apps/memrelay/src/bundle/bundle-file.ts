import { open, stat } from 'node:fs/promises';
import { isBundle } from '@memrelay/sdk/bundle/bundle-key';

/** Whether the file is a bundle of `memrelay export`, by how it begins. A directory or a device is not. */
export async function isBundleFile(path: string): Promise<boolean> {
  // Opening a pipe waits for its writer
  if (!(await stat(path)).isFile()) return false;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return isBundle(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
