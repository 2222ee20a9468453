import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ModelManifest,
  modelFiles,
  modelManifestSchema,
  modelRuntime,
  type PinnedFile,
  runtimeFolder,
} from '@memrelay/protocol/local-model';

/** A model on this machine, and the runtime that computes it. */
export interface LocalModel {
  manifest: ModelManifest;
  directory: string;
  runtime: { directory: string; module: string; binary: string; files: Readonly<Record<string, PinnedFile>> };
}

/** The model or its runtime is missing or damaged; the message names the command that installs it. */
export class LocalModelError extends Error {
  override name = 'LocalModelError';
}

/**
 * Finds an installed model in the model directory. Reads only its manifest: the thread that loads the files checks their
 * digests. Throws `LocalModelError`.
 */
export async function findLocalModel(modelsDirectory: string, name: string): Promise<LocalModel> {
  const directory = join(modelsDirectory, name);
  const missing = (what: string, cause: unknown): LocalModelError =>
    new LocalModelError(`${what}; install it with: npx memrelay model add ${name}`, { cause });
  let manifest: ModelManifest;
  try {
    const text = await readFile(join(directory, modelFiles.manifest), 'utf8');
    manifest = modelManifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw missing(`the model ${name} is not installed in ${modelsDirectory}`, cause);
  }
  if (manifest.name !== name || !manifest.files[modelFiles.weights] || !manifest.files[modelFiles.vocabulary])
    throw missing(`${directory} does not contain the model ${name}`, undefined);
  const runtime = join(modelsDirectory, runtimeFolder);
  const { module, binary, files } = modelRuntime;
  await readFile(join(runtime, module)).catch((cause: unknown) => {
    throw missing(`the runtime of local models is not installed in ${runtime}`, cause);
  });
  return { manifest, directory, runtime: { directory: runtime, module, binary, files } };
}
