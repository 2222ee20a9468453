import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packages } from '../build/packages.mjs';
import { stagePackage } from '../build/stage.mjs';
import type { Workbench } from './workbench.ts';

export interface Tarball {
  name: string;
  path: string;
  /** The folder it was packed from */
  folder: string;
  bytes: number;
  /** Of all its files */
  unpackedBytes: number;
}

export type Tarballs = ReadonlyMap<string, Tarball>;

/** Builds and packs every published package. */
export async function packAll(bench: Workbench, report: (line: string) => void): Promise<Tarballs> {
  const destination = join(bench.root, 'tarballs');
  mkdirSync(destination, { recursive: true });
  const tarballs = new Map<string, Tarball>();
  for (const item of packages) {
    const started = performance.now();
    const folder = join(bench.root, 'packages', item.name.replace(/^.*\//, ''));
    await stagePackage(item, folder);
    const printed = await bench.run('npm', ['pack', '--json', '--pack-destination', destination], {
      cwd: folder,
    });
    const path = join(destination, packedName(printed));
    tarballs.set(item.name, {
      name: item.name,
      path,
      folder,
      bytes: statSync(path).size,
      unpackedBytes: sizeOf(folder),
    });
    report(`packed ${item.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  return tarballs;
}

/** npm prints warnings before its JSON. */
function packedName(printed: string): string {
  return /"filename": "([^"]+)"/.exec(printed)![1]!;
}

/** Bytes of all files below a folder. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Bytes of a file as a server sends it. */
export function gzippedSize(path: string): number {
  return gzipSync(readFileSync(path), { level: 9 }).length;
}
