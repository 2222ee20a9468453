import { embeddingChunks } from '@memrelay/protocol/embedding-chunks';
import { createPauses } from '../base/concurrency/pauses.ts';
import { type AccountVectors, vectorKeyId } from './embedding/account-vectors.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { BlindEntry, BlindIndex } from './keywords/blind-index.ts';
import type { EmbeddedChunk, VectorInfo } from './vector-rows.ts';

/** A text, and the namespace whose keys its index data is created with. */
export interface TextToIndex {
  accountId: Buffer;
  /** Namespace tag, 16 bytes */
  tag: Uint8Array;
  text: string;
  /** Existing vectors of the text, of the current model and with the account's map applied */
  imported?: readonly Float32Array[] | undefined;
}

/** The search data of a memory. */
export interface IndexData {
  info: VectorInfo;
  /** With the account's map applied */
  chunks: EmbeddedChunk[];
  /** Undefined when the blind index is off or the text is unknown */
  keywords?: BlindEntry | undefined;
}

/** Creates the index data of all texts. */
export interface TextIndexer {
  /** The model of the vectors it creates */
  readonly model: string;
  readonly dimension: number;
  /** Two texts with at least this cosine similarity are near-duplicates */
  readonly nearDuplicate: number;
  /**
   * Returns index data in the order of the texts; embeds those without vectors in one call. Throws `EmbeddingError`.
   */
  indexTexts(texts: readonly TextToIndex[]): Promise<IndexData[]>;
}

export function createTextIndexer(parts: {
  embedder: Embedder;
  vectors: AccountVectors;
  blindIndex: BlindIndex;
}): TextIndexer {
  const { embedder, vectors, blindIndex } = parts;

  async function embedAll(texts: readonly TextToIndex[]): Promise<Float32Array[][]> {
    const chunks = texts.map(({ text, imported }) => (imported ? [] : embeddingChunks(text)));
    const accounts = chunks.flatMap((pieces, i) => pieces.map(() => texts[i]!.accountId));
    const embedded = accounts.length > 0 ? await embedder.embed(chunks.flat(), accounts) : [];
    const pause = createPauses();
    const mapped: Float32Array[][] = [];
    let next = 0;
    for (const [i, pieces] of chunks.entries()) {
      const map = vectors.mapOf(texts[i]!.accountId);
      const ofText: Float32Array[] = [];
      for (const vector of embedded.slice(next, next + pieces.length)) {
        await pause();
        ofText.push(map.apply(vector));
      }
      mapped.push(ofText);
      next += pieces.length;
    }
    return mapped;
  }

  return {
    model: embedder.model,
    dimension: embedder.dimension,
    nearDuplicate: embedder.nearDuplicate,
    async indexTexts(texts) {
      const embedded = await embedAll(texts);
      const indexed: IndexData[] = [];
      for (const [i, { accountId, tag, text, imported }] of texts.entries())
        indexed.push({
          info: { model: embedder.model, keyId: vectorKeyId },
          chunks: (imported ?? embedded[i]!).map((vector, no) => ({ no, vector })),
          keywords: await blindIndex.entryOf(accountId, tag, text),
        });
      return indexed;
    },
  };
}
