import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { modelFiles, type PinnedFile } from '@memrelay/protocol/local-model';
import { sha256 } from '../../../base/sha256.ts';
import { setOptimizingWasm } from '../../../base/wasm-optimizing.ts';
import { normalize } from '../embedder.ts';
import type { ModelReply, ModelRequest, ModelThreadData } from './model-messages.ts';
import { createTokenizer } from './tokenizer.ts';
import { meanOfRows, windowsOf } from './windows.ts';

/** The model in its own thread: a text takes some tens of milliseconds, during which requests must be served. */

interface Tensor {
  dims: readonly number[];
  data: Float32Array;
  dispose(): void;
}

interface Session {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>>;
}

/** The part of onnxruntime-web that is used here. */
interface Runtime {
  env: { logLevel: string; wasm: { numThreads: number; wasmBinary: Uint8Array } };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
  InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
}

const port = parentPort!;
const { model, optimizesWasm } = workerData as ModelThreadData;
const { manifest, directory, runtime } = model;
const reply = (message: ModelReply): void => port.postMessage(message);

/** Throws unless the file is the one that was installed. */
async function readPinned(folder: string, name: string, pinned: PinnedFile | undefined): Promise<Buffer> {
  const bytes = await readFile(join(folder, name));
  if (!pinned || bytes.length !== pinned.bytes || sha256(bytes).toString('hex') !== pinned.sha256)
    throw new Error(
      `${join(folder, name)} is damaged; install it again: npx memrelay model add ${manifest.name}`,
    );
  return bytes;
}

async function load(): Promise<(ids: readonly number[]) => Promise<Float32Array>> {
  await readPinned(runtime.directory, runtime.module, runtime.files[runtime.module]);
  const module: unknown = await import(pathToFileURL(join(runtime.directory, runtime.module)).href);
  const { env, Tensor: TensorOf, InferenceSession } = module as Runtime;
  env.logLevel = 'error';
  env.wasm.numThreads = 1;
  env.wasm.wasmBinary = await readPinned(runtime.directory, runtime.binary, runtime.files[runtime.binary]);
  const weights = await readPinned(directory, modelFiles.weights, manifest.files[modelFiles.weights]);
  const session = await InferenceSession.create(weights, { graphOptimizationLevel: 'all' });
  return async (ids) => {
    const dims = [1, ids.length];
    const filled = (value: (i: number) => number): unknown =>
      new TensorOf(
        'int64',
        BigInt64Array.from(ids, (_, i) => BigInt(value(i))),
        dims,
      );
    const feeds: Record<string, unknown> = {
      input_ids: filled((i) => ids[i]!),
      attention_mask: filled(() => 1),
      token_type_ids: filled(() => 0),
    };
    const answer = await session.run(
      Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]])),
    );
    const hidden = answer[session.outputNames[0]!]!;
    const mean = meanOfRows(hidden.data, manifest.dimension);
    for (const tensor of Object.values(answer)) tensor.dispose();
    return mean;
  };
}

async function start(): Promise<(request: ModelRequest) => Promise<Float32Array>> {
  const vocabulary = await readPinned(
    directory,
    modelFiles.vocabulary,
    manifest.files[modelFiles.vocabulary],
  );
  const tokenizer = createTokenizer(vocabulary.toString('utf8'));
  const run = await load();
  await run([tokenizer.start, tokenizer.end]);
  return async ({ prefix, text }) => {
    const windows = windowsOf(tokenizer, prefix, text, manifest.maxTokens);
    const sum = new Float32Array(manifest.dimension);
    for (const ids of windows) {
      const vector = normalize(await run(ids));
      for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
    }
    return normalize(sum);
  };
}

// The embedded database turns this off for the process (pglite.ts), and without it the model takes three times as long.
// It is on until the first run has compiled the runtime.
setOptimizingWasm(true);
try {
  const embed = await start();
  port.on('message', (request: ModelRequest) => {
    embed(request).then(
      (vector) => reply({ id: request.id, vector }),
      (error: Error) => reply({ id: request.id, error: error.message }),
    );
  });
} catch (error) {
  reply({ failed: (error as Error).message });
  port.close();
} finally {
  setOptimizingWasm(optimizesWasm);
}
