import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** System errors when opening or syncing another user's directory, or one of a read-only file system. */
const mayNotSync = new Set(['EACCES', 'EPERM', 'EINVAL', 'EROFS', 'EBADF']);

/** Makes the entries of a directory (creations, renames, removals) survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a newly created directory, and the parents that were created for it, survive a power failure. A parent that
 * cannot be opened existed before.
 */
export async function syncWithParents(path: string): Promise<void> {
  await syncDirectory(path);
  for (let above = dirname(resolve(path)); ; above = dirname(above)) {
    try {
      await syncDirectory(above);
    } catch (error) {
      if (!mayNotSync.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    if (above === dirname(above)) return;
  }
}

/** Writes a file so that a crash leaves either the old or the new content, never a part. */
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
