import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, withFileLock } from './file-lock.mjs';

/** Variable with the directory in which a test run keeps files that are expensive to create and used by many tests. */
const variable = 'MEMRELAY_TEST_RUN_DIR';

const prefix = 'memrelay-run-';
/** Longer than any run. Age decides because a directory's process id may be that of a process on another machine */
const leftoverMs = 6 * 3_600_000;

const gibibyte = 2 ** 30;
/** Minimum free memory in bytes: several times what a run stores there at a time */
const minFreeBytes = 4 * gibibyte;
const minMemoryBytes = 8 * gibibyte;

/**
 * Creates the directory of this test run, unless it exists, and passes it to child processes in their environment. It
 * also holds their temporary files, and their compiled modules, because parts of the system are started hundreds of
 * times. Returns a function that removes it.
 */
export function provideRunDirectory(environment: NodeJS.ProcessEnv = process.env): () => void {
  if (environment[variable]) return () => undefined;
  const parent = environment.TMPDIR === undefined ? quickDirectory() : environment.TMPDIR;
  removeLeftovers(parent);
  const directory = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  environment[variable] = directory;
  environment.NODE_COMPILE_CACHE ??= join(directory, 'compiled');
  environment.TMPDIR = join(directory, 'tmp');
  mkdirSync(environment.TMPDIR);
  // Postgres runs under an account other than root
  for (const folder of [directory, environment.TMPDIR]) chmodSync(folder, 0o711);
  return () => remove(directory);
}

/**
 * In memory if there is enough of it: a run creates, syncs and removes thousands of files and folders, which took
 * four fifths of the time of a blob store's tests on a disk. Writes of a killed process still survive; a power
 * failure is out of scope for these tests.
 */
function quickDirectory(): string {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= minFreeBytes && process.availableMemory() >= minMemoryBytes) return memory;
  } catch {
    // Not Linux, or a container without /dev/shm
  }
  return tmpdir();
}

/** Removes the directories of killed runs, which would otherwise occupy memory forever. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    const path = join(parent, name);
    const { mtimeMs, uid } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now(), uid: -1 };
    if (Date.now() - mtimeMs < leftoverMs || isAlive(pid) || uid !== process.getuid?.()) continue;
    remove(path);
  }
}

/** Removes a directory. Failures are only printed: an aborted test may leave a file system mounted there, and the results of the run must still be shown. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.stderr.write(`${path} could not be removed: ${(error as Error).message}\n`);
  }
}

/**
 * Fills `target` with a copy of the result of `prepare`, which runs once per test run and name. Outside a test run,
 * `target` itself is prepared.
 */
export async function copyPrepared(
  name: string,
  target: string,
  prepare: (directory: string) => Promise<void>,
): Promise<void> {
  const run = process.env[variable];
  if (!run) return prepare(target);
  const prepared = join(run, name);
  if (!existsSync(prepared))
    await withFileLock(`${prepared}.lock`, async () => {
      if (existsSync(prepared)) return;
      const unfinished = mkdtempSync(`${prepared}-`);
      await prepare(unfinished);
      renameSync(unfinished, prepared);
    });
  mkdirSync(target, { recursive: true, mode: 0o700 });
  cpSync(prepared, target, { recursive: true });
}
