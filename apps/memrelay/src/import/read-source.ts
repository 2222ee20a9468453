import { open, readFile, stat } from 'node:fs/promises';
import { ImportFileError } from '@memrelay/import-files/import-file-error';
import { archiveFiles, isArchive } from '@memrelay/import-files/read-archive';
import {
  archiveSource,
  type Source,
  type SourceOptions,
  sourceOf,
  textSource,
} from '@memrelay/import-files/source';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { readText } from '../terminal/read-text.ts';
import { folderEntries } from './read-folder.ts';

/** The memories of a text, JSON, zip or folder. Throws `ExitError` when there are none, or when it cannot be read. */
export async function readSource(path: string, options: SourceOptions): Promise<Source> {
  try {
    if ((await stat(path)).isDirectory())
      return sourceOf(path, 'folder of notes', await folderEntries(path), options);
    if (isArchive(await firstBytes(path)))
      return archiveSource(path, archiveFiles(path, await readFile(path)), options);
    return textSource(path, await readText(path), options);
  } catch (error) {
    throw asExitError(error);
  }
}

/** An error of the file as one of the command; every other error as it is. */
export function asExitError(error: unknown): unknown {
  return error instanceof ImportFileError
    ? new ExitError(exitCodes.usage, error.message, { cause: error })
    : error;
}

async function firstBytes(path: string): Promise<Uint8Array> {
  // Opening a pipe waits for its writer
  if (!(await stat(path)).isFile()) return new Uint8Array(0);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
