import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './storage/durable-file.ts';

interface Description {
  format: 1;
  shards: number;
}

/**
 * Writes down in a new data directory for how many shards its blob ids are made. Throws on one made for another
 * number: the same bytes would have a second id there and the ids handed out before would be lost.
 */
export async function describeDirectory(directory: string, shards: number): Promise<void> {
  const path = join(directory, 'store.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const description: Description = { format: 1, shards };
    return replaceFile(path, `${JSON.stringify(description)}\n`);
  }
  const existing = JSON.parse(text) as Description;
  if (existing.format !== 1) throw new Error(`${path} was written by a newer version of this program`);
  if (existing.shards !== shards) {
    throw new Error(
      `${directory} holds blobs for ${existing.shards} shards, not ${shards}: ` +
        'set BLOBSTORE_SHARDS (--shards) to that, or choose another BLOBSTORE_DATA_DIR',
    );
  }
}
