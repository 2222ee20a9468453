import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLockedError, openSqlite } from './sqlite.ts';

/** Exclusive write access to a directory. */
export interface DirectoryLock {
  release(): void;
}

/** Another process (or another part of this one) has locked the directory. */
export class DirectoryLockedError extends Error {
  override name = 'DirectoryLockedError';
  readonly dir: string;
  constructor(dir: string) {
    super(`${dir} is in use by another process. Stop that one, or choose another data directory.`);
    this.dir = dir;
  }
}

/**
 * Acquires the exclusive lock of `dir`, which is created if it does not exist. The lock is a SQLite file lock: the kernel
 * releases it however the process ends, so no one has to remove a stale lock file. Throws `DirectoryLockedError`.
 */
export function lockDirectory(dir: string): DirectoryLock {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const database = openSqlite(join(dir, 'lock.sqlite'));
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isLockedError(error)) throw new DirectoryLockedError(dir);
    throw error;
  }
  return { release: () => database.close() };
}
