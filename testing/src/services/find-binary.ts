import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable file with one of these names in `folders`, else in PATH; undefined if there is none. */
export function findBinary(names: readonly string[], folders: readonly string[] = []): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, ...path]) {
    for (const name of names) {
      const file = join(folder, name);
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
