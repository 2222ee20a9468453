import { createAccountVectors } from '../../src/index/embedding/account-vectors.ts';
import type { Embedder } from '../../src/index/embedding/embedder.ts';
import { createLexicalEmbedder } from '../../src/index/embedding/lexical-embedder.ts';
import { createTextIndexer, type TextIndexer } from '../../src/index/index-data.ts';
import { createBlindIndex } from '../../src/index/keywords/blind-index.ts';
import type { NamespaceSize } from '../../src/memories/rows/search-rows.ts';

/** The parts that create index data, small and with fixed keys. */
export const lexical = createLexicalEmbedder(64, () => Buffer.alloc(32, 5));
export const accountVectors = createAccountVectors(64, () => Buffer.alloc(32, 7));
export const blindIndex = createBlindIndex(Buffer.alloc(32, 9), true);

export function indexerWith(embedder: Embedder = lexical, withWords = true): TextIndexer {
  return createTextIndexer({
    embedder,
    vectors: accountVectors,
    blindIndex: withWords ? blindIndex : createBlindIndex(Buffer.alloc(32, 9), false),
  });
}

/** A namespace with that many memories of one vector each. */
export function sizeOf(memories: number): NamespaceSize {
  return { vectors: memories, stale: 0, texts: memories, meanLength: 8 };
}
