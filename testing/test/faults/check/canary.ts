import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formsOf } from '../../../src/text-forms.ts';
import type { FaultWorld } from '../world/fault-world.ts';

const partBytes = 4 * 1024 * 1024;

/**
 * Searches everything that the world has on disk for a text that is part of each of its memories. Returns the files that
 * contain it.
 */
export async function searchFor(
  world: FaultWorld,
  canary: string,
): Promise<{ files: number; places: string[] }> {
  // Makes Postgres write its buffers to its files
  await world.database.query('CHECKPOINT');
  const forms = formsOf(canary);
  const places: string[] = [];
  let files = 0;
  for (const directory of world.directories)
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      const path = join(entry.parentPath, entry.name);
      const form = await formIn(path, forms);
      if (form) places.push(`${form.toString('latin1')} in ${path}`);
    }
  return { files, places };
}

/**
 * The first of `forms` that the file contains. The file is read in overlapping parts, because write-ahead logs and log files
 * are large.
 */
async function formIn(path: string, forms: readonly Buffer[]): Promise<Buffer | undefined> {
  const longest = Math.max(...forms.map(({ length }) => length));
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const buffer = Buffer.alloc(partBytes + longest);
    for (let at = 0; ; at += partBytes) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      const part = buffer.subarray(0, bytesRead);
      const form = forms.find((each) => part.includes(each));
      if (form || bytesRead < buffer.length) return form;
    }
  } finally {
    await file.close();
  }
}
