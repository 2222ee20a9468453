import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type ModelManifest,
  modelFiles,
  modelManifestSchema,
  modelNamePattern,
  modelRuntime,
  type PinnedFile,
  runtimeFolder,
} from '@memrelay/protocol/local-model';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { buildModel, findWeights, ModelFilesError } from './build-model.ts';
import { filesBelow, measureFile } from './file-tree.ts';
import { knownModel } from './known-models.ts';

/** Where models are installed: `MEM_MODEL_DIR`, or `models` in the data directory. */
export function modelsDirectory(environment: NodeJS.ProcessEnv): string {
  return environment.MEM_MODEL_DIR || join(dataDir(environment), 'models');
}

/** Manifests of the installed models, by name. Damaged ones are left out. */
export async function installedModels(directory: string): Promise<ModelManifest[]> {
  const names = (await readdir(directory).catch(() => []))
    .filter((name) => modelNamePattern.test(name))
    .sort();
  const found = await Promise.all(names.map((name) => readManifest(join(directory, name))));
  return found.filter((manifest) => manifest !== undefined);
}

export async function isRuntimeInstalled(directory: string): Promise<boolean> {
  return allMatch(join(directory, runtimeFolder), modelRuntime.files);
}

/** What was installed from a source. */
export interface Installed {
  model?: string;
  runtime?: true;
}

/**
 * Installs what a folder of unpacked files contains: a model package, weights of a known model, the runtime, or several of
 * these. Every digest is checked before anything is replaced. Throws `ModelFilesError`.
 */
export async function installFrom(folder: string, directory: string): Promise<Installed> {
  const files = await filesBelow(folder);
  const installed: Installed = {};
  const module = files.find((path) => basename(path) === modelRuntime.module);
  if (module) {
    if (!(await allMatch(dirname(module), modelRuntime.files)))
      throw new ModelFilesError(
        `its runtime is damaged or not ${modelRuntime.package} ${modelRuntime.version}`,
      );
    await placeFolder(directory, runtimeFolder, (target) =>
      copyAll(dirname(module), target, Object.keys(modelRuntime.files)),
    );
    installed.runtime = true;
  }
  const manifestPath = files.find((path) => basename(path) === modelFiles.manifest);
  if (manifestPath) installed.model = await installPackage(dirname(manifestPath), directory);
  else if (!module || files.some((path) => path.endsWith('.onnx'))) {
    const found = await findWeights(folder);
    const { name } = found.model.manifest;
    await placeFolder(directory, name, (target) => buildModel(found, target));
    installed.model = name;
  }
  return installed;
}

async function installPackage(folder: string, directory: string): Promise<string> {
  const manifest = await readManifest(folder);
  if (!manifest) throw new ModelFilesError(`its ${modelFiles.manifest} is damaged or of another version`);
  const { name, files } = manifest;
  const weights = files[modelFiles.weights];
  const known = knownModel(name);
  if (!weights || !files[modelFiles.vocabulary] || !(await allMatch(folder, files)))
    throw new ModelFilesError('its files are damaged: their SHA-256 is not that of its manifest');
  if (known && known.source.weights.sha256 !== weights.sha256)
    throw new ModelFilesError(`its weights are not those of ${name}`);
  await placeFolder(directory, name, (target) =>
    copyAll(folder, target, [modelFiles.manifest, ...Object.keys(files)]),
  );
  return name;
}

/** Removes a model, and the runtime with the last one. False if it was not installed. */
export async function removeModel(name: string, directory: string): Promise<boolean> {
  if (!modelNamePattern.test(name) || !(await readManifest(join(directory, name)))) return false;
  await rm(join(directory, name), { recursive: true });
  if ((await installedModels(directory)).length === 0)
    await rm(join(directory, runtimeFolder), { recursive: true, force: true });
  return true;
}

async function readManifest(folder: string): Promise<ModelManifest | undefined> {
  try {
    const text = await readFile(join(folder, modelFiles.manifest), 'utf8');
    return modelManifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function allMatch(folder: string, files: Readonly<Record<string, PinnedFile>>): Promise<boolean> {
  const matches = Object.entries(files).map(async ([name, { bytes, sha256 }]) => {
    const found = await measureFile(join(folder, name)).catch(() => undefined);
    return found?.bytes === bytes && found.sha256 === sha256;
  });
  return (await Promise.all(matches)).every(Boolean);
}

/** Writes a folder next to its place and then moves it there, so that an interrupted installation leaves no half of it. */
async function placeFolder(
  directory: string,
  name: string,
  fill: (target: string) => Promise<void>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const target = join(directory, `_new-${randomBytes(6).toString('hex')}`);
  try {
    await fill(target);
    await rm(join(directory, name), { recursive: true, force: true });
    await rename(target, join(directory, name));
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function copyAll(from: string, to: string, names: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of names) await copyFile(join(from, name), join(to, name));
}
