import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../../src/db/db.ts';
import { encodeVector } from '../../src/db/vector.ts';
import { keywordColumns, keywordPlaces, keywordValues } from '../../src/jobs/keyword-columns.ts';
import { fuse, lexicalWeights, type Relevance } from '../../src/memories/fusion.ts';
import type { TextIndexer } from '../../src/memories/index-data.ts';
import { readNamespaceSize, searchMemories } from '../../src/memories/search.ts';
import { accountVectors, blindIndex, indexerWith, lexical } from './index-parts.ts';

export interface Place {
  accountId: Buffer;
  namespace: string;
}

/** Stands for the tag that the account's origin gives a namespace. */
export function tagOf({ namespace }: Place): Buffer {
  return createHash('sha256').update(namespace).digest().subarray(0, 16);
}

/** Rows of memories as the embed stage and the upload leave them. Returns their ids. */
export async function insertMemories(
  db: Db,
  place: Place,
  texts: readonly string[],
  { state = 'done', indexer = indexerWith() }: { state?: string; indexer?: TextIndexer } = {},
): Promise<string[]> {
  const tag = tagOf(place);
  const data = await indexer.indexTexts(texts.map((text) => ({ accountId: place.accountId, tag, text })));
  const ids: string[] = [];
  for (const { info, chunks, keywords } of data) {
    const id = randomUUID();
    ids.push(id);
    await db.query(
      `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size, ${keywordColumns})
       VALUES ($1, $2, $3, $4, $5, $6, 1500, ${keywordPlaces(7)})`,
      [
        place.accountId,
        id,
        place.namespace,
        state,
        state === 'done' ? randomBytes(32).toString('base64url') : null,
        randomBytes(32),
        ...keywordValues(keywords),
      ],
    );
    for (const { no, vector } of chunks)
      await db.query(
        `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
         VALUES ($1, $2, $3, $4, $5, $6, $7::vector, binary_quantize($7::vector))`,
        [place.accountId, place.namespace, info.model, id, no, info.keyId, encodeVector(vector)],
      );
  }
  return ids;
}

export interface AskOptions {
  limit?: number;
  includePending?: boolean;
  /** Pretends that the namespace is this large, so that its sign bits make a shortlist */
  vectors?: number | undefined;
}

/** What a search of the place finds for the question, fused. */
export async function ask(
  db: Db,
  place: Place,
  query: string,
  { limit = 10, includePending = false, vectors }: AskOptions = {},
): Promise<Relevance[]> {
  const { accountId, namespace } = place;
  const [vector] = await lexical.embed([query], [accountId]);
  const size = await readNamespaceSize(db, accountId, namespace, lexical.model);
  const result = await searchMemories(
    db,
    {
      accountId,
      namespace,
      model: lexical.model,
      vector: accountVectors.mapOf(accountId).apply(vector!),
      tokens: blindIndex.queryTokens(accountId, tagOf(place), query),
      limit,
      includePending,
    },
    { ...size, vectors: vectors ?? size.vectors },
  );
  return fuse(result, size, lexicalWeights);
}
