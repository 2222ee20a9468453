import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Remembers which file contents a check has accepted, so that it only checks changed files. */
export interface PassedFiles {
  /** The files that changed since they were accepted, or were never accepted. */
  changed: readonly string[];
  /** Records that the check accepts all files with the content that `comparePassedFiles` has read */
  save(): void;
}

/** Compares files with the record in `cacheFile`, which is valid only for the same `settings` of the check. */
export function comparePassedFiles(
  cacheFile: string,
  settings: readonly string[],
  files: readonly { path: string; text: string }[],
): PassedFiles {
  const key = hash(settings.join('\0'));
  const now = Object.fromEntries(files.map(({ path, text }) => [path, hash(text)]));
  const record = readRecord(cacheFile);
  const passed = record?.key === key ? record.files : {};
  return {
    changed: Object.keys(now).filter((path) => passed[path] !== now[path]),
    save() {
      mkdirSync(dirname(cacheFile), { recursive: true });
      writeFileSync(cacheFile, JSON.stringify({ key, files: now } satisfies PassedRecord));
    },
  };
}

interface PassedRecord {
  key: string;
  files: Record<string, string>;
}

/** Undefined when there is no record, or one that a killed process left incomplete. */
function readRecord(cacheFile: string): PassedRecord | undefined {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8')) as PassedRecord;
  } catch {
    return undefined;
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
