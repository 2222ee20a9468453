import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalModel } from '@memrelay/relayer/index/embedding/local/local-model';

/**
 * A model folder and a runtime without weights, which the relayer's model thread loads like real ones: a vector counts
 * the letters of the text. The word `crash` ends the thread, `hang` never ends and keeps its core busy, `fail` throws.
 */
export async function writeFakeModel(directory: string, name = 'fake'): Promise<LocalModel> {
  const words = ['crash', 'hang', 'fail', ...'abcdefghijklmnopqrstuvwxyz:'];
  const pieces = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `##${letter}`);
  const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...words, ...pieces].join('\n');
  const model = join(directory, name);
  const runtime = join(directory, 'runtime');
  const files = {
    model: { 'vocab.txt': vocabulary, 'model.onnx': 'weights' },
    runtime: { 'fake.mjs': fakeRuntime, 'fake.wasm': 'binary' },
  };
  const pinned = async (folder: string, content: Record<string, string>) => {
    await mkdir(folder, { recursive: true });
    const entries = Object.entries(content).map(async ([file, text]) => {
      await writeFile(join(folder, file), text);
      const sha256 = createHash('sha256').update(text).digest('hex');
      return [file, { bytes: Buffer.byteLength(text), sha256 }] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  const manifest: LocalModel['manifest'] = {
    format: 1,
    name,
    version: '1.0.0',
    dimension: 64,
    pooling: 'mean',
    tokenizer: 'bert-uncased',
    maxTokens: 32,
    queryPrefix: 'q: ',
    documentPrefix: 'p: ',
    nearDuplicate: 0.99,
    minScore: 0.2,
    licence: 'Apache-2.0',
    files: await pinned(model, files.model),
  };
  await writeFile(join(model, 'manifest.json'), JSON.stringify(manifest));
  const own = { module: 'fake.mjs', binary: 'fake.wasm', files: await pinned(runtime, files.runtime) };
  return { manifest, directory: model, runtime: { directory: runtime, ...own } };
}

/** Row i of the last hidden state has a 1 at the id of token i. Ids 4, 5 and 6 are the words with an effect. */
const fakeRuntime = `
export const env = { wasm: {} };
export class Tensor {
  constructor(type, data, dims) { Object.assign(this, { data, dims }); }
  dispose() {}
}
export const InferenceSession = {
  async create() {
    return {
      inputNames: ['input_ids'],
      outputNames: ['last_hidden_state'],
      async run({ input_ids: { data } }) {
        const ids = Array.from(data, Number);
        if (ids.includes(4)) process.exit(3);
        if (ids.includes(5)) for (;;);
        if (ids.includes(6)) throw new Error('it failed');
        const rows = new Float32Array(ids.length * 64);
        ids.forEach((id, i) => { rows[i * 64 + (id > 33 ? id - 27 : id)] = 1; });
        return { last_hidden_state: new Tensor('float32', rows, [1, ids.length, 64]) };
      },
    };
  },
};
`;
