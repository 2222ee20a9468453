import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version?: string;
  integrity?: string;
  /** Of a workspace: its folder */
  resolved?: string;
  link?: boolean;
  optional?: boolean;
}

/** Holds the hash of the lockfile that node_modules was last known to match. `npm ci` removes it. */
export const stampFile = (root: string) => join(root, 'node_modules', '.memrelay-lockfile');

export function lockfileHash(root: string): string {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/**
 * Whether node_modules matches the lockfile: by our stamp, else by npm's own record of what it installed, so
 * that a folder made by a plain `npm install` is not thrown away.
 */
export function isInstalled(root: string): boolean {
  const stamp = stampFile(root);
  const hash = lockfileHash(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  // npm writes it last, so it is missing after an interrupted install.
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  const complete = Object.entries(packagesOf(join(root, 'package-lock.json')))
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, locked]) => sameOrOptional(locked, installed[path]));
  if (complete) writeFileSync(stamp, hash);
  return complete;
}

/** Optional packages for other platforms are absent on purpose. */
function sameOrOptional(locked: LockedPackage, found: LockedPackage | undefined): boolean {
  if (!found) return locked.optional === true;
  if (locked.link) return found.link === true && found.resolved === locked.resolved;
  return found.version === locked.version && found.integrity === locked.integrity && !found.link;
}

function packagesOf(file: string): Record<string, LockedPackage> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> }).packages;
}
