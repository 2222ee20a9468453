import { type AccountNamespace, insertIndexed, tagOfNamespace } from '@memrelay/dev-env/search-index';
import { questionOf } from '@memrelay/text-index/question';
import type { Db, Queryable } from '../../src/base/db/db.ts';
import type { TextIndexer } from '../../src/index/index-data.ts';
import { fuse, lexicalWeights, type Relevance } from '../../src/memories/recall/fusion.ts';
import { readNamespaceSize, searchMemories } from '../../src/memories/rows/search-rows.ts';
import { accountVectors, blindIndex, indexerWith, lexical } from './index-parts.ts';

/** Rows of memories as the embed stage and the upload leave them. Returns their ids. */
export async function insertMemories(
  db: Queryable,
  accountNamespace: AccountNamespace,
  texts: readonly string[],
  { state = 'done', indexer = indexerWith() }: { state?: string; indexer?: TextIndexer } = {},
): Promise<string[]> {
  const { accountId } = accountNamespace;
  const data = await indexer.indexTexts(
    texts.map((text) => ({ accountId, tag: tagOfNamespace(accountNamespace), text })),
  );
  return Promise.all(data.map((each) => insertIndexed(db, accountNamespace, each, { state })));
}

export interface AskOptions {
  limit?: number;
  includePending?: boolean;
  /** Learnt by former searches */
  commonTokens?: Map<bigint, number>;
}

/** The fused results of a search for the question in the namespace. */
export async function ask(
  db: Db,
  accountNamespace: AccountNamespace,
  query: string,
  { limit = 10, includePending = false, commonTokens = new Map() }: AskOptions = {},
): Promise<Relevance[]> {
  const { accountId, namespace } = accountNamespace;
  const [vector] = await lexical.embed([query], [accountId]);
  const size = await readNamespaceSize(db, accountId, namespace, lexical.model);
  const question = blindIndex.questionTokens(
    accountId,
    tagOfNamespace(accountNamespace),
    questionOf(query, true),
  );
  const result = await searchMemories(
    db,
    {
      accountId,
      namespace,
      model: lexical.model,
      vector: accountVectors.mapOf(accountId).apply(vector!),
      question,
      limit,
      includePending,
    },
    { ...size, commonTokens },
  );
  return fuse(result, size, lexicalWeights, question).found;
}
