import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceMark } from '../build/source-mark.mjs';

/** A file to serve. */
export interface Page {
  type: string;
  body: Buffer;
  /** Whether `body` is compressed with gzip */
  isGzip?: boolean;
}

/** Files by path below `dist`, e.g. `connect-mcp.html` and `assets/style-1a2b.css`. */
export type Pages = ReadonlyMap<string, Page>;

/** Lists the built files and their sources. A build writes this record last. */
export interface BuildRecord {
  files: string[];
  /** Our sources by path from the repository root, each with a mark that changes with its content */
  sources: Record<string, string>;
}

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const repository = join(dist, '../../..');
const recordPath = join(dist, 'build.json');

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Loads the pages from `dist`, building them first if they are missing or a source has changed. A package without sources
 * contains the built pages. Scripts and styles are kept only in compressed form, which also saves memory.
 */
export async function loadPages(): Promise<Pages> {
  const built = await readRecord();
  const record = built && (await isCurrent(built)) ? built : await build(built);
  return new Map(
    await Promise.all(
      record.files.map(async (file): Promise<[string, Page]> => {
        const isGzip = file.endsWith('.gz');
        const path = isGzip ? file.slice(0, -3) : file;
        const type = types[extname(path)] ?? 'application/octet-stream';
        return [path, { type, isGzip, body: await readFile(join(dist, file)) }];
      }),
    ),
  );
}

async function isCurrent({ sources }: BuildRecord): Promise<boolean> {
  const marks = await Promise.all(
    Object.entries(sources).map(async ([path, mark]) => ({
      mark,
      now: await sourceMark(join(repository, path)),
    })),
  );
  return marks.every(({ now }) => now === undefined) || marks.every(({ mark, now }) => now === mark);
}

/** Safe for concurrent builds: each file is written atomically, and the record that lists them is written last. */
async function build(before: BuildRecord | undefined): Promise<BuildRecord> {
  const { bundlePages } = await import('../build/bundle-pages.mjs');
  const { files, sources } = await bundlePages(repository);
  const record = { files: Object.keys(files), sources };
  for (const [file, body] of Object.entries(files)) await replace(join(dist, file), body);
  await replace(recordPath, JSON.stringify(record));
  const obsolete = (before?.files ?? []).filter((file) => !record.files.includes(file));
  await Promise.all(obsolete.map((file) => rm(join(dist, file), { force: true })));
  return record;
}

async function replace(path: string, body: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, body);
  await rename(temporary, path);
}

async function readRecord(): Promise<BuildRecord | undefined> {
  try {
    return JSON.parse(await readFile(recordPath, 'utf8')) as BuildRecord;
  } catch {
    return undefined;
  }
}
