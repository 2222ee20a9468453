import { ApiError } from '@memrelay/protocol/errors';
import type { Network } from '@memrelay/protocol/networks';
import type { Embedder } from './embedder.ts';

/**
 * The built-in lexical embedder serves the local network; elsewhere `MEM_ALLOW_MOCK_LLM` must allow it. The returned
 * function throws `llm_not_configured` where texts cannot be embedded.
 */
export function createRequireEmbedder(
  embedder: Pick<Embedder, 'mock'>,
  { network, embedding }: { network: Network; embedding: { allowMock: boolean } },
): () => void {
  const isAvailable = !embedder.mock || network === 'localnet' || embedding.allowMock;
  return () => {
    if (!isAvailable) throw new ApiError('llm_not_configured');
  };
}
