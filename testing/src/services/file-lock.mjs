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
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function withFileLock(path, step) {
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

/** @param {string} path */
function tryTake(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** @param {string} path */
function touch(path) {
  const now = new Date();
  utimesSync(path, now, now);
}

/**
 * Takes the lock file away if its holder is gone. This is safe between several waiters, because only one rename succeeds. If
 * a new process acquired the lock between the check and the rename, its file is linked back.
 * @param {string} path
 */
function dropIfAbandoned(path) {
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

/** @param {string} path */
function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @param {string} path @param {string} holder */
function isAbandoned(path, holder) {
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (touched === undefined) return false;
  if (Date.now() - touched > staleMs) return true;
  const pid = Number(holder);
  // An empty file: its holder is between creating and writing it.
  return holder !== '' && Number.isInteger(pid) && pid > 0 && !isAlive(pid);
}

/** Whether a process with this id runs on this machine. @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** @param {unknown} error @param {string} code */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
