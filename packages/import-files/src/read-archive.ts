import { strFromU8, unzipSync } from 'fflate';
import { ImportFileError } from './import-file-error.ts';
import { isNote } from './notes.ts';

/** Whether these bytes begin a zip file. */
export const isArchive = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/** Maximum unpacked size in bytes: a zip of a few kilobytes can expand to terabytes. */
const maxBytes = 1_000_000_000;

export interface ArchiveFile {
  path: string;
  text: string;
}

/**
 * Returns the files of a zip that may contain memories: the conversations of a chat export, else JSON and notes. Throws
 * `ImportFileError` if it is not a zip, is too large, or contains no such files.
 */
export function archiveFiles(path: string, bytes: Uint8Array): ArchiveFile[] {
  let total = 0;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false;
        total += originalSize;
        if (total > maxBytes) throw new RangeError('too large');
        return true;
      },
    });
  } catch (error) {
    throw error instanceof RangeError
      ? new ImportFileError('import_too_large', `${path}: it is larger than 1 GB when unpacked.`, {
          cause: error,
        })
      : new ImportFileError('import_invalid_zip', `${path}: it is not a zip file.`, { cause: error });
  }
  const all = Object.entries(files).map(([name, content]) => ({ path: name, text: strFromU8(content) }));
  const conversations = all.filter((file) => /(?:^|\/)conversations(?:-\d+)?\.json$/.test(file.path));
  const found = conversations.length > 0 ? conversations : all;
  if (found.length > 0) return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  throw new ImportFileError('import_no_files', `${path} holds no conversations.json, other JSON, or notes.`);
}

function isWanted(name: string): boolean {
  if (name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')) return false;
  return isNote(name) || /\.jsonl?$/i.test(name);
}
