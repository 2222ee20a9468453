import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [resolved] of a workspace: its folder
 * @property {boolean} [link]
 * @property {boolean} [optional]
 */

/** Holds the hash of the lockfile that node_modules was last known to match. `npm ci` removes it. @param {string} root */
export const stampFile = (root) => join(root, 'node_modules', '.memrelay-lockfile');

/** @param {string} root @returns {string} */
export function lockfileHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/**
 * Whether node_modules matches the lockfile: according to our stamp, else to npm's own record of installed packages, so that
 * a folder created by a plain `npm install` is not deleted.
 * @param {string} root
 * @returns {boolean}
 */
export function isInstalled(root) {
  const stamp = stampFile(root);
  const hash = lockfileHash(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  // npm writes this file last, so it is missing after an interrupted install
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  const complete = Object.entries(packagesOf(join(root, 'package-lock.json')))
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, locked]) => sameOrOptional(locked, installed[path]));
  if (complete) writeFileSync(stamp, hash);
  return complete;
}

/**
 * Optional packages for other platforms are absent on purpose.
 * @param {LockedPackage} locked
 * @param {LockedPackage | undefined} found
 */
function sameOrOptional(locked, found) {
  if (!found) return locked.optional === true;
  if (locked.link) return found.link === true && found.resolved === locked.resolved;
  return found.version === locked.version && found.integrity === locked.integrity && !found.link;
}

/** @param {string} file @returns {Record<string, LockedPackage>} */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
