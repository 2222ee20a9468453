import { readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { embeddedDirectory, isEmbedded } from '../base/config/database-url.ts';
import { bytesText, type Finding, failed, ok, skipped, warning } from './finding.ts';

/** Less free space than this, or than a twentieth of the disk, is reported. */
const fewBytes = 2 * 1024 ** 3;
const tooFewBytes = 256 * 1024 ** 2;

/** The files with secrets must be readable only by their owner. */
export async function fileChecks(paths: {
  configFile: string | undefined;
  dataDir: string | undefined;
}): Promise<Finding[]> {
  const check = 'secret_files';
  // Windows has no mode bits; there the profile directory protects the files
  if (process.platform === 'win32') return [skipped(check, 'Windows has no file modes')];
  const { configFile, dataDir } = paths;
  const keys = dataDir ? join(dataDir, 'keys') : undefined;
  const names = keys ? await readdir(keys).catch(() => []) : [];
  const files = [...(configFile ? [configFile] : []), ...names.map((name) => join(keys!, name))];
  const folders = keys && names.length > 0 ? [keys] : [];
  const open: Finding[] = [];
  for (const path of [...files, ...folders]) {
    const mode = (await stat(path).catch(() => undefined))?.mode;
    if (mode === undefined || (mode & 0o077) === 0) continue;
    const wanted = folders.includes(path) ? '700' : '600';
    const found = (mode & 0o777).toString(8).padStart(3, '0');
    open.push(
      failed(
        check,
        `${path} is open to other users (mode ${found})`,
        `run: chmod ${wanted} ${path}`,
        'settings',
      ),
    );
  }
  if (open.length > 0) return open;
  return files.length === 0
    ? [skipped(check, 'the secrets are in the environment')]
    : [ok(check, files.length === 1 ? 'one, private' : `${files.length}, private`)];
}

/** Free space where the relayer, and an embedded database, write. */
export async function diskChecks(paths: {
  databaseUrl: string;
  dataDir: string | undefined;
}): Promise<Finding[]> {
  const { databaseUrl, dataDir } = paths;
  const folders = [
    ...(dataDir ? [dataDir] : []),
    ...(isEmbedded(databaseUrl) ? [embeddedDirectory(databaseUrl)] : []),
  ];
  if (folders.length === 0)
    return [skipped('disk', 'the relayer writes nothing here; watch the disks of Postgres and Redis')];
  return Promise.all(folders.map(async (folder) => freeSpace(folder, await spaceOf(folder))));
}

/** How much of a disk is free, as a finding. */
export function freeSpace(folder: string, { free, total }: { free: number; total: number }): Finding {
  const text = `${bytesText(free)} of ${bytesText(total)} free at ${folder}`;
  const fix = 'free space, or move the folder to a larger disk';
  if (free < tooFewBytes) return failed('disk', text, fix);
  return free < Math.min(fewBytes, total / 20) ? warning('disk', text, fix) : ok('disk', text);
}

/** Of the disk of a folder, or of the next one above that exists. */
async function spaceOf(folder: string): Promise<{ free: number; total: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return spaceOf(dirname(folder));
  }
}
