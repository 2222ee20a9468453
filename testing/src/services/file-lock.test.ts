import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFileLock } from './file-lock.mjs';

let directory: string;
let lock: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'memrelay-lock-'));
  lock = join(directory, 'below', 'lock');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('admits one holder at a time and leaves no file', async () => {
  let inside = 0;
  let most = 0;
  const step = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withFileLock(lock, step)));
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

it('releases the lock when the step fails', async () => {
  await expect(withFileLock(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withFileLock(lock, async () => 'second')).toBe('second');
});

it('takes over the lock of a dead process', async () => {
  await withFileLock(lock, async () => undefined);
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'exit');
  writeFileSync(lock, String(gone.pid));
  const results = await Promise.all([1, 2, 3].map((n) => withFileLock(lock, async () => n)));
  expect(results).toEqual([1, 2, 3]);
});

it('takes over a lock that is no longer refreshed, even if its process id was reused', async () => {
  await withFileLock(lock, async () => undefined);
  writeFileSync(lock, String(process.pid));
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  expect(await withFileLock(lock, async () => 'in')).toBe('in');
});
