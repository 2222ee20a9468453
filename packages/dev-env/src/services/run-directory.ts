import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';

/** Where a test run keeps what is dear to make and the same for all its files. */
const variable = 'MEMRELAY_TEST_RUN_DIR';

/**
 * Makes the directory of this test run, unless there is one, and tells the processes below by their environment. Parts
 * of the system are started hundreds of times: their compiled modules are kept there too. Returns what removes it.
 */
export function provideRunDirectory(environment: NodeJS.ProcessEnv = process.env): () => void {
  if (environment[variable]) return () => undefined;
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-run-'));
  environment[variable] = directory;
  environment.NODE_COMPILE_CACHE ??= join(directory, 'compiled');
  return () => rmSync(directory, { recursive: true, force: true });
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
