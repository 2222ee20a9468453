import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './repository.mjs';

/** @typedef {import('./packages.mjs').PackageBuild} PackageBuild */
/** @typedef {[mtimeMs: number, size: number, hash: string]} KnownFile */

const skipped = new Set(['node_modules', 'dist', 'test', 'conformance', '.cache']);
/** Folders of a workspace that builds read */
const workspaceFolders = ['src', 'build', 'migrations', 'bin'];

/**
 * A hash of everything that a package is built from. Only files whose size or time has changed since the last call are read
 * again; the file `cachePath` stores the hashes of all files.
 * @param {PackageBuild} item
 * @param {string} cachePath
 */
export function fingerprint(item, cachePath) {
  const known = readKnown(cachePath);
  /** @type {Record<string, KnownFile>} */
  const now = {};
  let changed = false;
  for (const path of sourcesOf(item)) {
    const { mtimeMs, size } = statSync(join(root, path));
    const before = known[path];
    if (before && before[0] === mtimeMs && before[1] === size) now[path] = before;
    else {
      changed = true;
      now[path] = [mtimeMs, size, hashOf(readFileSync(join(root, path)))];
    }
  }
  if (changed || Object.keys(known).length !== Object.keys(now).length)
    replace(cachePath, JSON.stringify(now));
  return hashOf(
    Object.entries(now)
      .map(([path, [, , hash]]) => `${path} ${hash}\n`)
      .join(''),
  ).slice(0, 16);
}

/** @param {PackageBuild} item @returns {string[]} sorted paths from the root */
function sourcesOf(item) {
  const folders = ['packages', item.folder, ...(item.sources ?? [])];
  const paths = new Set(['package-lock.json', 'tsconfig.base.json', 'tsconfig.node.json']);
  for (const folder of ['scripts/build', ...folders]) for (const path of filesIn(folder)) paths.add(path);
  return [...paths].sort();
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  const isWorkspace = /^(apps|integrations|packages)\/[^/]+$/.test(folder);
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const read = isWorkspace ? workspaceFolders.includes(entry.name) : !skipped.has(entry.name);
      return read ? filesIn(path) : [];
    }
    return entry.isFile() && !entry.name.includes('.test.') && entry.name !== 'README.md' ? [path] : [];
  });
}

/** @param {string} path @returns {Record<string, KnownFile>} */
function readKnown(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {string} path @param {string} text */
function replace(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** @param {string | Buffer} content */
function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}
