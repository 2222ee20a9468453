import { join } from 'node:path';
import { pythonVersionFile } from '../build/python-package.ts';

/** Reads and writes files by their paths from the root. */
export interface Files {
  read(path: string): string;
  write(path: string, text: string): void;
  /** Of all workspaces and the root */
  manifests: readonly string[];
}

const versionPattern = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;
const serverVersions = join('packages', 'protocol', 'src', 'versions.ts');

/** Throws unless `next` is a version after `current`. A pre-release comes before its release. */
export function checkNewer(current: string, next: string): void {
  const parse = (version: string): (number | string)[] => {
    const match = versionPattern.exec(version);
    if (!match) throw new Error(`${version} is not a version such as 1.2.3`);
    const [, major, minor, patch, pre] = match;
    // A version without a pre-release sorts after all its pre-releases
    return [Number(major), Number(minor), Number(patch), pre ?? '\u{10ffff}'];
  };
  const [before, after] = [parse(current), parse(next)];
  const at = before.findIndex((part, i) => part !== after[i]);
  if (at < 0 || before[at]! > after[at]!) throw new Error(`${next} does not come after ${current}`);
}

/** Sets the version of all workspaces, of their dependencies on each other, of the servers and of the Python package. */
export function setVersion(files: Files, current: string, next: string): void {
  const manifests = new Map(files.manifests.map((path) => [path, JSON.parse(files.read(path))]));
  const own = new Set([...manifests.values()].map(({ name }) => name as string));
  for (const [path, manifest] of manifests) {
    manifest.version = next;
    for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
      for (const name of Object.keys(manifest[kind] ?? {})) if (own.has(name)) manifest[kind][name] = next;
    files.write(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  replaceVersion(files, serverVersions, `relayerVersion = '${current}'`, `relayerVersion = '${next}'`);
  replaceVersion(files, pythonVersionFile, `__version__ = "${current}"`, `__version__ = "${next}"`);
}

function replaceVersion(files: Files, path: string, before: string, after: string): void {
  const text = files.read(path);
  if (!text.includes(before)) throw new Error(`${path} does not have ${before}`);
  files.write(path, text.replace(before, after));
}
