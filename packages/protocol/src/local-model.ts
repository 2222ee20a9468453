import { z } from 'zod';

/**
 * A sentence-embedding model that runs on the relayer's machine. A model is a folder with `manifest.json` and the files
 * that it lists; the data directory keeps it in `models/<name>`. The runtime that computes it is kept next to it.
 */

/** Also the name of the model's folder */
export const modelNamePattern = /^[a-z0-9][a-z0-9.-]{0,63}$/;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `manifest.json` of a model folder. */
export const modelManifestSchema = z.object({
  format: z.literal(1),
  name: z.string().regex(modelNamePattern),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** Numbers in a vector */
  dimension: z.int().min(8).max(16_000),
  pooling: z.literal('mean'),
  tokenizer: z.literal('bert-uncased'),
  /** Including the start and end tokens; longer texts are embedded in several windows */
  maxTokens: z.int().min(16).max(8_192),
  queryPrefix: z.string().max(200),
  documentPrefix: z.string().max(200),
  /** Two texts with at least this cosine similarity are near-duplicates */
  nearDuplicate: z.number().min(0).max(1),
  /** A memory without a word of the question is a hit only above this similarity */
  minScore: z.number().min(-1).max(1),
  licence: z.string(),
  /** Name, size in bytes and digest of every other file of the folder */
  files: z.record(z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/), z.object({ bytes: z.int().min(0), sha256 })),
});

export type ModelManifest = z.infer<typeof modelManifestSchema>;

export const modelFiles = {
  manifest: 'manifest.json',
  weights: 'model.onnx',
  vocabulary: 'vocab.txt',
} as const;

export interface PinnedFile {
  bytes: number;
  sha256: string;
}

/** The model that `EMBEDDING_PROVIDER=local` uses unless `EMBEDDING_MODEL` names another. */
export const defaultLocalModel = 'e5-small-v2';

/** The package that computes models: WebAssembly, the same on every platform. Only these two files of it are kept. */
export const modelRuntime = {
  package: 'onnxruntime-web',
  version: '1.30.0',
  /** Of the npm tarball */
  integrity:
    'sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==',
  tarballBytes: 33_106_585,
  module: 'ort.wasm.bundle.min.mjs',
  binary: 'ort-wasm-simd-threaded.wasm',
  files: {
    'ort.wasm.bundle.min.mjs': {
      bytes: 73054,
      sha256: '11e64bd8ffe11bd1a2a2f0d6275fdfbbba7262f0b76b99b53d228a8a22ef3d90',
    },
    'ort-wasm-simd-threaded.wasm': {
      bytes: 14239897,
      sha256: '3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2',
    },
  } as Readonly<Record<string, PinnedFile>>,
} as const;

/** Folders below the model directory. */
export const runtimeFolder = `runtime-${modelRuntime.package}-${modelRuntime.version}`;
