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
import { isAlive, withFileLock } from './file-lock.ts';

/** Where a test run keeps files that are expensive to make and the same for all its tests. */
const variable = 'MEMRELAY_TEST_RUN_DIR';

const prefix = 'memrelay-run-';
/** Longer than any run: the process id of a directory may be that of another machine's process */
const leftoverMs = 6 * 3_600_000;

const gibibyte = 2 ** 30;
/** Several times what a run has on it at a time */
const leastRoom = 4 * gibibyte;
const leastMemory = 8 * gibibyte;

/**
 * Makes the directory of this test run, unless there is one, and passes it to child processes in their environment. Their
 * temporary files are in it, too. Parts of the system are started hundreds of times: their compiled modules are kept
 * there. Returns what removes it.
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
  // Postgres runs under another account than root
  for (const folder of [directory, environment.TMPDIR]) chmodSync(folder, 0o711);
  return () => remove(directory);
}

/**
 * In memory where there is enough: a run makes, syncs and removes many thousand files and folders, which took four
 * fifths of the time of a blob store's tests on a disk. What a killed process wrote is there all the same; a machine
 * that loses its power is beyond these tests.
 */
function quickDirectory(): string {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= leastRoom && process.availableMemory() >= leastMemory) return memory;
  } catch {
    // Not Linux, or a container without it
  }
  return tmpdir();
}

/** Directories of runs that were killed, which would keep their memory for ever. */
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

/** A test that was cut off may leave a file system mounted there; the results of the run must be printed all the same. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.stderr.write(`${path} could not be removed: ${(error as Error).message}\n`);
  }
}

/**
 * Fills `target` with a copy of what `prepare` makes, which runs once per test run and name. Outside of a test run
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
