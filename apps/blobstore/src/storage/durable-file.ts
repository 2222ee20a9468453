import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a directory (creations, renames, removals) survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file so that after a crash either the old or the new content is there, never a part. */
export async function replaceFile(path: string, content: string | Iterable<string>): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}
