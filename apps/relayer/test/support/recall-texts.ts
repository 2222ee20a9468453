import { randomBytes } from 'node:crypto';
import { tagOfNamespace } from '@memrelay/dev-env/search-index';
import type { Db } from '../../src/base/db/db.ts';
import { createAccountVectors } from '../../src/index/embedding/account-vectors.ts';
import { createLexicalEmbedder } from '../../src/index/embedding/lexical-embedder.ts';
import { createTextIndexer } from '../../src/index/index-data.ts';
import { isConfirmed, rankMatching, reasonsFor } from '../../src/memories/recall/matching.ts';
import { createNamespaceSearches } from '../../src/memories/recall/namespace-search.ts';
import { createNamespaceSizes } from '../../src/memories/recall/namespace-sizes.ts';
import { searchWords } from '../../src/memories/recall/recall.ts';
import { blindIndex } from './index-parts.ts';
import { insertMemories } from './indexed-memories.ts';

const embedder = createLexicalEmbedder(1536, () => Buffer.alloc(32, 5));
const vectors = createAccountVectors(1536, () => Buffer.alloc(32, 7));
const indexer = createTextIndexer({ embedder, vectors, blindIndex });

/** Stores texts in a new namespace and returns those that a recall of the question returns, best first. */
export async function recallTexts(db: Db, texts: readonly string[], question: string): Promise<string[]> {
  const place = { accountId: randomBytes(32), namespace: 'default' };
  const ids = await insertMemories(db, place, texts, { indexer });
  const parts = {
    db,
    embedder,
    vectors,
    blindIndex,
    namespaceSizes: createNamespaceSizes(db),
    namespaceSearches: createNamespaceSearches(db),
    requestBounds: { searches: { run: <T>(_: unknown, work: () => Promise<T>) => work() } },
  };
  const [vector] = await embedder.embed([question], [place.accountId]);
  const request = { limit: 10 };
  const asked = { ...place, tag: tagOfNamespace(place) };
  const { found } = await searchWords(parts, asked, question, {
    vector: vector!,
    limit: 20,
    includePending: false,
  });
  const reasonOf = reasonsFor({}, embedder);
  const matching = found.filter((relevance) => reasonOf(relevance) !== undefined);
  const hits: string[] = [];
  for (const { match, relevance } of rankMatching(matching, reasonOf, request, Date.now())) {
    const text = texts[ids.indexOf(match.id)]!;
    if (await isConfirmed(reasonOf(relevance), question, text)) hits.push(text);
  }
  return hits;
}
