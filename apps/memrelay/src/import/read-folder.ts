import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ExportedEntry } from '@memrelay/import-files/known-exports';
import { isNote, noteEntries } from '@memrelay/import-files/notes';
import { readText } from '../terminal/read-text.ts';

/**
 * Reads the notes of a folder and its subfolders, such as an Obsidian vault, in the order of their names. Skips hidden
 * folders (`.obsidian`, `.trash`, `.git`), links and other files.
 */
export async function folderEntries(folder: string): Promise<ExportedEntry[]> {
  const entries: ExportedEntry[] = [];
  for (const path of await notesIn(folder))
    entries.push(...noteEntries(relative(folder, path).split(sep).join('/'), await readText(path)));
  return entries;
}

async function notesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    const info = await lstat(path);
    if (info.isDirectory()) found.push(...(await notesIn(path)));
    else if (info.isFile() && isNote(name)) found.push(path);
  }
  return found;
}
