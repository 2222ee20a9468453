import { readFile } from 'node:fs/promises';
import { replaceFile } from './durable-file.ts';

/**
 * Blobs that are kept although the registry does not know them, with the time when they were added (milliseconds
 * since 1970). Their bytes are not moved.
 */
export interface Quarantine {
  list(): Promise<ReadonlyMap<string, number>>;
  add(blobIds: readonly string[], sinceMs: number): Promise<void>;
  drop(blobIds: readonly string[]): Promise<void>;
}

/**
 * A quarantine in a file. If the file is lost or damaged, all periods start again, which only keeps bytes for
 * longer.
 */
export async function openQuarantineFile(path: string): Promise<Quarantine> {
  const entries = parse(await readText(path));
  const save = () => replaceFile(path, JSON.stringify(Object.fromEntries(entries)));
  return {
    list: async () => new Map(entries),
    async add(blobIds, sinceMs) {
      for (const blobId of blobIds) entries.set(blobId, sinceMs);
      if (blobIds.length > 0) await save();
    },
    async drop(blobIds) {
      const known = blobIds.filter((blobId) => entries.delete(blobId));
      if (known.length > 0) await save();
    },
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw error;
  }
}

function parse(text: string): Map<string, number> {
  try {
    const found = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return new Map(found.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  } catch {
    return new Map();
  }
}
