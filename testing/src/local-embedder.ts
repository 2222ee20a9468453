import { encodeCenter, relatedness } from '@memrelay/relayer/index/embedding/centers';
import { findLocalModel } from '@memrelay/relayer/index/embedding/local/local-model';
import { createLocalEmbedder } from '@memrelay/relayer/index/embedding/local-embedder';

export { encodeCenter, relatedness };

/** The relayer's embedder with a model of this model directory. */
export async function openLocalEmbedder(directory: string, name: string) {
  return createLocalEmbedder(await findLocalModel(directory, name));
}
