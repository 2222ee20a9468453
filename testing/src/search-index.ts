import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { indexKey } from '@memrelay/envelope/at-rest';
import type { SealedContext } from '@memrelay/protocol/context-fields';
import type { Db, Queryable } from '@memrelay/relayer/base/db/db';
import { migrate } from '@memrelay/relayer/base/db/migrate';
import { openDatabase } from '@memrelay/relayer/base/db/open-database';
import { encodeVector } from '@memrelay/relayer/base/db/vector';
import {
  type ContextColumns,
  contextColumns,
  contextTokens,
  contextValues,
  noContext,
} from '@memrelay/relayer/index/context-tokens';
import { createAccountVectors } from '@memrelay/relayer/index/embedding/account-vectors';
import { createEmbedder, type EmbeddingConfig } from '@memrelay/relayer/index/embedding/create-embedder';
import { findLocalModel } from '@memrelay/relayer/index/embedding/local/local-model';
import { createTextIndexer, type IndexData } from '@memrelay/relayer/index/index-data';
import { keywordColumns, keywordPlaceholders, keywordValues } from '@memrelay/relayer/index/keyword-columns';
import { createBlindIndex } from '@memrelay/relayer/index/keywords/blind-index';
import { withContext } from '@memrelay/relayer/memories/recall/context';
import { type AskedFields, fieldsAsked, withFields } from '@memrelay/relayer/memories/recall/field-signals';
import { fuse, lexicalWeights, modelWeights, type Relevance } from '@memrelay/relayer/memories/recall/fusion';
import { isSure, matchReason } from '@memrelay/relayer/memories/recall/matching';
import { createNamespaceSearches } from '@memrelay/relayer/memories/recall/namespace-search';
import { createNamespaceSizes } from '@memrelay/relayer/memories/recall/namespace-sizes';
import { withRelatedness } from '@memrelay/relayer/memories/recall/relatedness';
import { createResidentIndexes } from '@memrelay/relayer/memories/resident/resident-indexes';
import { searchEvery } from '@memrelay/relayer/memories/rows/search-rows';
import { noQuestion, questionOf } from '@memrelay/text-index/question';
import { pino } from 'pino';

export type { EmbeddingConfig };
export { findLocalModel };

export interface AccountNamespace {
  accountId: Buffer;
  namespace: string;
}

/** Replaces the tag that a namespace gets from its account's origin. */
export function tagOfNamespace({ namespace }: AccountNamespace): Buffer {
  return createHash('sha256').update(namespace).digest().subarray(0, 16);
}

/** Inserts a memory with its index data, as the embed stage and the upload would. Returns its id. */
export async function insertIndexed(
  db: Queryable,
  { accountId, namespace }: AccountNamespace,
  { info, chunks, keywords }: IndexData,
  {
    state = 'done',
    storedAt,
    context = noContext,
  }: { state?: string; storedAt?: Date; context?: ContextColumns } = {},
): Promise<string> {
  const id = randomUUID();
  const blobId = state === 'done' ? randomBytes(32).toString('base64url') : null;
  await db.query(
    `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, created_at, size, ${keywordColumns},
       ${contextColumns})
     VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()), 1500, ${keywordPlaceholders(8)}, $14, $15::text::bigint[], $16)`,
    [
      accountId,
      id,
      namespace,
      state,
      blobId,
      randomBytes(32),
      storedAt ?? null,
      ...keywordValues(keywords),
      ...contextValues(context),
    ],
  );
  for (const { no, vector } of chunks)
    await db.query(
      `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
       VALUES ($1, $2, $3, $4, $5, $6, $7::vector, binary_quantize($7::vector))`,
      [accountId, namespace, info.model, id, no, info.keyId, encodeVector(vector)],
    );
  return id;
}

/** The relayer's index and search on a database, without HTTP, jobs and envelopes. */
export interface SearchIndex {
  db: Db;
  model: string;
  /** Ids in the order of the texts. With `from`, they count as stored from then on, one per second */
  add(
    accountNamespace: AccountNamespace,
    texts: readonly string[],
    from?: Date,
    contexts?: readonly SealedContext[],
  ): Promise<string[]>;
  /**
   * Up to `limit` matches, best first. `every`: compares all vectors exactly, not only a shortlist; `memory`: searches in
   * memory if the namespace is loaded, and counts for loading it; `fieldWeights`: of the session, speaker and date
   */
  search(
    accountNamespace: AccountNamespace,
    query: string,
    limit: number,
    options?: { compare?: 'every' | 'memory' | undefined; fieldWeights?: AskedFields['weights'] },
  ): Promise<Relevance[]>;
  /** Searches in memory until the namespace is loaded. */
  load(accountNamespace: AccountNamespace, query: string): Promise<void>;
  /** Whether a recall without `min_score` returns this match */
  isHit(relevance: Relevance): boolean;
  /** Vectors of texts as the embedder returns them, and as the account's map transforms them */
  embed(
    accountNamespace: AccountNamespace,
    texts: readonly string[],
  ): Promise<{ plain: Float32Array; mapped: Float32Array }[]>;
  /** The token of a term in this namespace, as stored in the database */
  tokenOf(accountNamespace: AccountNamespace, term: string): string;
  close(): Promise<void>;
}

/** Texts in one call to the embedder. */
const batch = 64;

/** Opens the index with a fixed key. The database must be empty or of this version. */
export async function openSearchIndex(databaseUrl: string, embedding: EmbeddingConfig): Promise<SearchIndex> {
  const secret = Buffer.alloc(32, 1);
  const keyFor = (purpose: 'lexical' | 'vector-map') => (accountId: Buffer) =>
    Buffer.from(indexKey(secret, purpose, accountId.toString('hex')));
  const db = await openDatabase(databaseUrl, pino({ enabled: false }));
  await migrate(db);
  const embedder = createEmbedder(embedding, keyFor('lexical'));
  const { model, mock } = embedder;
  const vectors = createAccountVectors(embedder.dimension, keyFor('vector-map'));
  const blindIndex = createBlindIndex(secret, true);
  const indexer = createTextIndexer({ embedder, vectors, blindIndex });
  const sizes = createNamespaceSizes(db);
  let wasInMemory = false;
  const resident = createResidentIndexes(db, {
    maxBytes: 2 ** 30,
    logger: pino({ enabled: false }),
    countLookup: (found) => {
      wasInMemory = found;
    },
  });
  const index: SearchIndex = {
    db,
    model,
    async add(accountNamespace, texts, from, contexts) {
      const tag = tagOfNamespace(accountNamespace);
      const tokens = contextTokens({ indexSecret: secret, accountId: accountNamespace.accountId, tag });
      const ids: string[] = [];
      for (let i = 0; i < texts.length; i += batch) {
        const some = texts.slice(i, i + batch);
        const data = await indexer.indexTexts(
          some.map((text) => ({ accountId: accountNamespace.accountId, tag, text })),
        );
        await db.transaction(async (tx) => {
          for (const each of data) {
            const storedAt = from && new Date(from.getTime() + ids.length * 1000);
            const context = tokens.columnsOf(contexts?.[ids.length]);
            ids.push(
              await insertIndexed(tx, accountNamespace, each, { context, ...(storedAt && { storedAt }) }),
            );
          }
        });
      }
      return ids;
    },
    async search(accountNamespace, query, limit, { compare, fieldWeights } = {}) {
      const { accountId, namespace } = accountNamespace;
      const [vector] = await embedder.embed([query], [accountId], { as: 'query' });
      const size = await sizes.sizeOf(accountId, namespace, model);
      const question = blindIndex.questionTokens(
        accountId,
        tagOfNamespace(accountNamespace),
        questionOf(query, mock),
      );
      const mapped = vectors.mapOf(accountId).apply(vector!);
      const asked = { accountId, namespace, model, vector: mapped, question, limit, includePending: false };
      const inMemory = compare === 'memory' ? resident : undefined;
      const searched = await createNamespaceSearches(db, inMemory).of(asked, size);
      const candidates = await (compare === 'every'
        ? searchEvery(db, asked, size)
        : searched.search(asked, size));
      const map = vectors.mapOf(accountId);
      const matches = await withRelatedness(db, asked, candidates.matches, embedder, map);
      const fused = fuse({ ...candidates, matches }, size, mock ? lexicalWeights : modelWeights, question);
      const isCohesive = await sizes.isCohesive(accountId, namespace, model);
      const found = await withContext(
        searched,
        asked,
        fused,
        (each) => isSure(each, embedder),
        Number(process.env.CONTEXT ?? 1) * (isCohesive ? 1 : 0),
      );
      const tokens = contextTokens({ indexSecret: secret, accountId, tag: tagOfNamespace(accountNamespace) });
      return withFields(found, () => fieldsAsked(tokens, query, fieldWeights), fused.scoreOf);
    },
    async load(accountNamespace, query) {
      do {
        await index.search(accountNamespace, query, 10, { compare: 'memory' });
      } while (!wasInMemory);
    },
    isHit: (relevance) => matchReason(relevance, embedder) !== undefined,
    async embed({ accountId }, texts) {
      const map = vectors.mapOf(accountId);
      const made: { plain: Float32Array; mapped: Float32Array }[] = [];
      for (let i = 0; i < texts.length; i += batch) {
        const some = texts.slice(i, i + batch);
        const whose = some.map(() => accountId);
        for (const plain of await embedder.embed(some, whose)) made.push({ plain, mapped: map.apply(plain) });
      }
      return made;
    },
    tokenOf(accountNamespace, term) {
      const question = { ...noQuestion, terms: [term] };
      return String(
        blindIndex.questionTokens(accountNamespace.accountId, tagOfNamespace(accountNamespace), question)
          .terms[0],
      );
    },
    async close() {
      await resident.close();
      await embedder.close?.();
      await db.close();
    },
  };
  return index;
}
