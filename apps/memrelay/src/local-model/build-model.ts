import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { modelFiles, type PinnedFile } from '@memrelay/protocol/local-model';
import { filesBelow, measureFile } from './file-tree.ts';
import { type KnownModel, knownModels, packageOf } from './known-models.ts';
import { licenceText, modelCard } from './model-card.ts';

/** A folder, file or download does not contain what it should; the message says what. */
export class ModelFilesError extends Error {
  override name = 'ModelFilesError';
}

/** The weights of a known model somewhere in a folder, and the tokenizer or vocabulary next to them. */
export interface FoundWeights {
  model: KnownModel;
  weights: string;
  /** `vocab.txt`, or `tokenizer.json` in the format of Hugging Face */
  vocabulary: string;
}

/** Looks for the weights of a known model by their digest. Throws `ModelFilesError` if there are none. */
export async function findWeights(folder: string): Promise<FoundWeights> {
  const files = await filesBelow(folder);
  const candidates = files.filter((path) => path.endsWith('.onnx'));
  for (const weights of candidates) {
    const { bytes, sha256 } = await measureFile(weights);
    const model = knownModels.find(
      ({ source }) => source.weights.sha256 === sha256 && source.weights.bytes === bytes,
    );
    const vocabulary = files.find((path) => /(^|-)(tokenizer\.json|vocab\.txt)$/.test(basename(path)));
    if (model && vocabulary) return { model, weights, vocabulary };
    if (model)
      throw new ModelFilesError('the weights have no vocabulary (tokenizer.json or vocab.txt) next to them');
  }
  const names = knownModels.map(({ manifest }) => manifest.name).join(', ');
  throw new ModelFilesError(
    candidates.length > 0
      ? `its weights are damaged or of an unknown model; known are ${names}`
      : `it contains no model package and no weights of ${names}`,
  );
}

/**
 * Writes a model package: a model folder that npm can publish. `folder` must not exist or be empty. `apacheText`: see
 * `licenceText`. Throws `ModelFilesError`.
 */
export async function buildModel(found: FoundWeights, folder: string, apacheText?: string): Promise<void> {
  const { model } = found;
  const { manifest, summary } = model;
  await mkdir(folder, { recursive: true });
  await copyFile(found.weights, join(folder, modelFiles.weights));
  await writeFile(join(folder, modelFiles.vocabulary), await vocabularyOf(found));
  await writeFile(join(folder, 'LICENSE'), licenceText(model, apacheText));
  await writeFile(join(folder, 'README.md'), modelCard(model));
  const files: Record<string, PinnedFile> = {};
  for (const name of (await readdir(folder)).sort()) files[name] = await measureFile(join(folder, name));
  if (files[modelFiles.vocabulary]?.sha256 !== model.source.vocabularySha256)
    throw new ModelFilesError(`${basename(found.vocabulary)} is not the vocabulary of ${manifest.name}`);
  await writeJson(join(folder, modelFiles.manifest), { format: 1, ...manifest, files });
  await writeJson(join(folder, 'package.json'), {
    name: packageOf(manifest.name),
    version: manifest.version,
    description: `The embedding model ${manifest.name} for memrelay: ${summary}`,
    license: manifest.licence,
    files: [modelFiles.manifest, ...Object.keys(files)],
  });
}

/** One token a line, by id. */
async function vocabularyOf({ vocabulary }: FoundWeights): Promise<string> {
  const text = await readFile(vocabulary, 'utf8');
  if (!vocabulary.endsWith('.json')) return text;
  const ids = (JSON.parse(text) as { model?: { vocab?: Record<string, number> } }).model?.vocab ?? {};
  const tokens = Object.entries(ids).sort(([, a], [, b]) => a - b);
  return tokens.map(([token]) => `${token}\n`).join('');
}

const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
