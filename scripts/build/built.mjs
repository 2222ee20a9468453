import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint } from './fingerprint.mjs';
import { packageNamed } from './packages.mjs';
import { root } from './repository.mjs';

const builder = fileURLToPath(new URL('./build-once.mjs', import.meta.url));
/** How long an unused build is kept, because running processes may still load parts of it. */
const maxUnusedMs = 7 * 24 * 3_600_000;

/**
 * The built entry of a package in this clone, as a URL. Builds it first unless these sources have been built before. Works on
 * every Node that the packages support. Throws if it cannot be built.
 * @param {string} name
 * @param {string} entry
 * @param {{ onBuild?: () => void }} [options] `onBuild` is called before a build
 */
export function builtEntry(name, entry, { onBuild } = {}) {
  const item = packageNamed(name);
  const folder = join(root, 'dist', name.replace(/^.*\//, ''));
  const built = join(folder, fingerprint(item, join(folder, 'sources.json')));
  if (existsSync(built)) {
    const now = new Date();
    utimesSync(built, now, now);
  } else {
    onBuild?.();
    build(name, built);
    removeOld(folder, built);
  }
  return pathToFileURL(join(built, `${entry}.js`));
}

/** Builds in a separate process, so that the bundler's memory is freed afterwards. @param {string} name @param {string} built */
function build(name, built) {
  const fresh = `${built}.${process.pid}`;
  const { status, stderr } = spawnSync(process.execPath, [builder, name, fresh], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  try {
    if (status !== 0)
      throw new Error(`${name} could not be built (npm ci, then try again):\n${stderr.trim()}`);
    renameSync(fresh, built);
  } catch (error) {
    // Another process may have finished the same build first
    if (status !== 0 || !existsSync(built)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string} current */
function removeOld(folder, current) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path === current || name.startsWith('sources.json')) continue;
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > maxUnusedMs) rmSync(path, { recursive: true, force: true });
  }
}
