import { modelFiles } from '@memrelay/protocol/local-model';
import type { Embedder } from './embedder.ts';
import { centersOf } from './local/known-centers.ts';
import type { LocalModel } from './local/local-model.ts';
import { createModelThread, type ModelThreadOptions } from './local/model-thread.ts';
import { type Prefixes, withPrefixes } from './prefixes.ts';
import { vectorSpace } from './vector-space.ts';

/** Embeds on this machine. `prefixes` replace those of the model. Nothing runs until the first text. */
export function createLocalEmbedder(
  model: LocalModel,
  prefixes: Prefixes = {},
  options?: ModelThreadOptions,
): Embedder & { readonly running: boolean; close(): Promise<void> } {
  const { manifest } = model;
  const thread = createModelThread(model, options);
  const { queryPrefix = manifest.queryPrefix, documentPrefix = manifest.documentPrefix } = prefixes;
  // Other weights of the same model give other vectors
  const { sha256 } = manifest.files[modelFiles.weights]!;
  const isUsual = queryPrefix === manifest.queryPrefix && documentPrefix === manifest.documentPrefix;
  const plain = `${manifest.name}-${sha256.slice(0, 8)}`;
  const name = isUsual ? plain : withPrefixes(plain, { queryPrefix, documentPrefix });
  return {
    name,
    model: vectorSpace(name, manifest.dimension),
    dimension: manifest.dimension,
    nearDuplicate: manifest.nearDuplicate,
    minScore: manifest.minScore,
    centers: isUsual ? centersOf(sha256) : undefined,
    mock: false,
    get running() {
      return thread.running;
    },
    embed(texts, _accounts, { as = 'document', signal } = {}) {
      const isQuery = as === 'query';
      return thread.embed({ texts, prefix: isQuery ? queryPrefix : documentPrefix, isQuery, signal });
    },
    close: thread.close,
  };
}
