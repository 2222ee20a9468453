import { embeddingChunks } from '@memrelay/protocol/embedding-chunks';
import { createPauses } from '../base/concurrency/pauses.ts';
import type { AccountVectors } from './embedding/account-vectors.ts';
import type { Embedder } from './embedding/embedder.ts';
import { vectorKeyId } from './embedding/vector-map.ts';
import type { BlindEntry, BlindIndex } from './keywords/blind-index.ts';
import type { EmbeddedChunk, VectorInfo } from './vector-rows.ts';

/** A text, and the place whose keys its index data is made with. */
export interface TextToIndex {
  accountId: Buffer;
  /** 16 bytes, of the namespace */
  tag: Uint8Array;
  text: string;
  /** Its vectors, of the present model and through the account's map, where they are there already */
  imported?: readonly Float32Array[] | undefined;
}

/** Everything a memory is found by. */
export interface IndexData {
  info: VectorInfo;
  /** Through the account's map */
  chunks: EmbeddedChunk[];
  /** Undefined when the blind index is off or the text is unknown */
  keywords?: BlindEntry | undefined;
}

/** Makes the index data of texts; nothing else does. */
export interface TextIndexer {
  /** Of the vectors it makes */
  readonly model: string;
  readonly dimension: number;
  /** From this cosine on two texts say nearly the same */
  readonly nearDuplicate: number;
  /** In the order of the texts, with one call for those without vectors. Throws `EmbeddingError`. */
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
