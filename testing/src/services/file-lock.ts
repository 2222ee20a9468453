import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const heartbeatMs = 2_000;
/** A lock that was not touched for this long is stale: its holder was killed or its machine restarted. */
const staleMs = 30_000;
const retryMs = 250;

/**
 * Runs `step` while this process alone holds the lock file; others wait. The file holds the process id and
 * is touched while the step runs, so a lock left by a killed process is taken over. Parent folders are made.
 */
export async function withFileLock<T>(path: string, step: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  while (!tryTake(path)) {
    dropIfAbandoned(path);
    await wait(retryMs);
  }
  const heartbeat = setInterval(() => touch(path), heartbeatMs);
  try {
    return await step();
  } finally {
    clearInterval(heartbeat);
    rmSync(path, { force: true });
  }
}

function tryTake(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

/**
 * Renaming makes a takeover safe between several waiters: only one rename succeeds. If a new holder came in between
 * the check and the rename, its file is linked back.
 */
function dropIfAbandoned(path: string): void {
  const holder = readHolder(path);
  if (holder === undefined || !isAbandoned(path, holder)) return;
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== holder) linkSync(aside, path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readHolder(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isAbandoned(path: string, holder: string): boolean {
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (touched === undefined) return false;
  if (Date.now() - touched > staleMs) return true;
  const pid = Number(holder);
  // An empty file: its holder is between creating and writing it.
  return holder !== '' && Number.isInteger(pid) && pid > 0 && !isAlive(pid);
}

/** Whether a process with this id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
