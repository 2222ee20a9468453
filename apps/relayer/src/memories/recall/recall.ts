import { searchedQuery } from '@memrelay/protocol/embedding-chunks';
import type { MemoryHit, RecallRequest, RecallResponse } from '@memrelay/protocol/memories';
import { type Question, questionOf } from '@memrelay/text-index/question';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import type { FairTurns } from '../../base/concurrency/fair-turns.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import { contextTokens, filterTokens } from '../../index/context-tokens.ts';
import type { AccountVectors } from '../../index/embedding/account-vectors.ts';
import { type Embedder, normalize } from '../../index/embedding/embedder.ts';
import { spaceOf } from '../../index/embedding/vector-space.ts';
import type { BlindIndex } from '../../index/keywords/blind-index.ts';
import { type OpenedMemory, openMemories } from '../reading/open-envelopes.ts';
import { type EnvelopeSources, readEnvelopes } from '../reading/read-envelopes.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { type BackgroundReindexParts, beginReindex } from '../reindex/background-reindex.ts';
import type { Match } from '../rows/match.ts';
import type { SearchQuery, SearchResult } from '../rows/search-rows.ts';
import { withContext } from './context.ts';
import { type AskedFields, fieldsAsked, withFields } from './field-signals.ts';
import { fuse, lexicalWeights, modelWeights, type Relevance } from './fusion.ts';
import { countLostMatches } from './lost-matches.ts';
import { isConfirmed, isSure, rankMatching, reasonsFor } from './matching.ts';
import { type AskedPlace, respelled } from './misspelt-words.ts';
import type { NamespaceSearch, NamespaceSearches } from './namespace-search.ts';
import type { NamespaceSizes } from './namespace-sizes.ts';
import type { QueryVectors } from './query-vectors.ts';
import { candidateLimit, sizeOf, withinBytes } from './ranking.ts';
import { withRelatedness } from './relatedness.ts';
import { filteredSize, returnable } from './returnable.ts';
import { surroundingsOf } from './surroundings.ts';

/** Maximum bytes of envelopes for one answer: all that one account may hold of `RequestBounds.recalling` */
export const recallAnswerBytes = 32 * 1024 * 1024;

/** Bytes of envelopes that one recall reads and opens together; the texts are kept until the answer is sent */
const readBytes = 8 * 1024 * 1024;

/** The request that a recall belongs to. */
export interface RecallRun {
  stages: StageTimes;
  /** Waits for room for the envelopes, whose sizes are in their rows */
  hold: Hold;
  /** Aborts when the client disconnects */
  gone: AbortSignal;
}

export interface SearchParts {
  db: Db;
  embedder: Embedder;
  vectors: AccountVectors;
  namespaceSizes: NamespaceSizes;
  namespaceSearches: NamespaceSearches;
  /** Limits how many searches run at the same time, in total and per account */
  requestBounds: { searches: Pick<FairTurns, 'run'> };
}

export interface RecallParts extends SearchParts, NamespaceTags, EnvelopeSources, BackgroundReindexParts {
  db: Db;
  embedder: Embedder;
  namespaceSizes: NamespaceSizes;
  /** Throws `llm_not_configured` where texts cannot be embedded */
  requireEmbedder(): void;
  queryVectors: QueryVectors;
  blindIndex: Pick<BlindIndex, 'questionTokens'>;
  secrets: Pick<Secrets, 'indexKey'>;
}

/**
 * Returns the nearest memories of a namespace, decrypted for the caller (spec, `POST /api/recall`): the best ones whose
 * envelopes are at most `recallAnswerBytes` together. The others count as dropped. Throws `ApiError`.
 */
export async function recall(
  parts: RecallParts,
  caller: Caller,
  request: RecallRequest,
  { stages, hold, gone }: RecallRun,
): Promise<RecallResponse> {
  requireReadable(parts, caller, request.namespace);
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  parts.requireEmbedder();
  const query = searchedQuery(request.query);
  const vector = await stages.measure('embed', () =>
    parts.queryVectors.vectorOf(caller.account.accountId, query.text),
  );
  const accountId = hexToBytes(caller.account.accountId);
  const tag = parts.tagOf(caller.account.origin, request.namespace);
  const fieldTokens = contextTokens({ indexSecret: parts.secrets.indexKey, accountId, tag });
  const tags = filterTokens(fieldTokens, request.tags);
  const { question, found, mayHaveLost } = await stages.measure('search', () =>
    searchWords(parts, { accountId, namespace: request.namespace, tag }, query.text, {
      vector,
      limit: candidateLimit(request),
      includePending: request.include_pending,
      context: request.scoring_weights?.context,
      tags,
      fields: () => fieldsAsked(fieldTokens, query.text, request.scoring_weights),
    }),
  );
  const reasonOf = reasonsFor(request, parts.embedder);
  const matching = found.filter((relevance) => reasonOf(relevance) !== undefined);
  const ranked = rankMatching(matching, reasonOf, request, Date.now());
  const fitting = withinBytes(ranked, recallAnswerBytes);
  const around = await surroundingsOf(
    parts.db,
    accountId,
    request,
    fitting,
    recallAnswerBytes - sizeOf(fitting),
    tags,
  );
  const toRead = [...fitting, ...around.others];
  await stages.measure('turn', () => hold(sizeOf(fitting) + around.bytes));
  const readTexts = async (): Promise<(OpenedMemory | undefined)[]> => {
    const texts: (OpenedMemory | undefined)[] = [];
    // Runs even if nothing was found, because this checks the credential
    do {
      gone.throwIfAborted();
      const part = withinBytes(toRead.slice(texts.length), readBytes);
      const matches = part.map(({ match }) => match);
      const envelopes = await stages.measure('blobs', () => readEnvelopes(parts, accountId, matches));
      texts.push(
        ...(await stages.measure('open', () =>
          openMemories(parts, caller, request.namespace, part, envelopes),
        )),
      );
    } while (texts.length < toRead.length);
    return texts;
  };
  const [texts, lost] = await Promise.all([
    readTexts(),
    mayHaveLost ? countLostMatches(parts, accountId, request, { vector, question }, nearestOf(matching)) : 0,
  ]);
  const { stale } = await parts.namespaceSizes.sizeOf(accountId, request.namespace, parts.embedder.model);
  // The credential has just been checked
  if (stale > 0) beginReindex(parts, caller, request.namespace);
  const textOf = new Map(
    toRead.flatMap(({ match }, i) => (texts[i] === undefined ? [] : [[match.id, texts[i].text]])),
  );
  const results: MemoryHit[] = [];
  let unreadable = ranked.length - fitting.length;
  for (const [i, { match, score, relevance }] of fitting.entries()) {
    const opened = texts[i];
    if (opened === undefined) {
      unreadable += 1;
      continue;
    }
    const { text, context } = opened;
    const reason = reasonOf(relevance);
    if (!(await isConfirmed(reason, query.text, text))) continue;
    results.push({
      id: match.id,
      ...(match.blobId ? { blob_id: match.blobId } : { pending: true }),
      text,
      distance: match.distance,
      ...(score === undefined ? {} : { score }),
      ...(match.stale ? { stale: true as const } : {}),
      created_at: match.createdAt.toISOString(),
      ...(match.supersededBy ? { superseded_by: match.supersededBy } : {}),
      ...around.contextOf(i, textOf),
      ...context,
      ...(request.explain
        ? {
            explain: {
              ...(reason && reason !== 'asked' ? { matched_by: reason } : {}),
              ...relevance.explanation,
            },
          }
        : {}),
    });
  }
  const dropped = unreadable + lost;
  return {
    results,
    total: results.length,
    ...(dropped > 0 ? { dropped_count: dropped } : {}),
    ...(stale > 0 ? { stale_count: stale } : {}),
    ...(query.truncated || question.truncated ? { query_truncated: true as const } : {}),
    ...(parts.embedder.mock ? { mock: true } : {}),
  };
}

/** Throws `insufficient_scope` unless the caller may read there. */
export function requireReadable(parts: NamespaceTags, caller: Caller, namespace: string): void {
  requirePermission(caller, 'read', parts.tagOf(caller.account.origin, namespace));
}

/** Searches by vector and words; a second time if the question has a misspelt word. */
export async function searchWords(
  parts: SearchParts & { blindIndex: Pick<BlindIndex, 'questionTokens'> },
  place: AskedPlace,
  query: string,
  options: Pick<Asked, 'vector' | 'limit' | 'includePending' | 'context' | 'tags' | 'fields'>,
): Promise<Found> {
  const { accountId, namespace, tag } = place;
  const question = parts.blindIndex.questionTokens(accountId, tag, questionOf(query, parts.embedder.mock));
  return search(parts, accountId, { ...options, namespace, question }, (searched, documents) =>
    respelled(parts.blindIndex, place, searched, query, question, documents),
  );
}

/** What is searched for. */
interface Asked extends Omit<SearchQuery, 'accountId' | 'model'> {
  /** The current model by default */
  model?: string | undefined;
  /** Weight of what was stored right before and after a match; by default 1 where memories belong together */
  context?: number | undefined;
  /** Computes what the question names, and the weights of the context fields; without it they do not count */
  fields?: (() => AskedFields) | undefined;
}

export interface Found extends Pick<SearchResult, 'mayHaveLost'> {
  /** Best first */
  found: Relevance[];
  /** As it was searched for, with other spellings */
  question: Question<bigint>;
}

/**
 * Finds the memories that match best. `otherSpellings` gets the number of texts with each term, and returns the question
 * to search for instead, if any.
 */
export async function search(
  parts: SearchParts,
  accountId: Buffer,
  asked: Asked,
  otherSpellings?: (
    searched: NamespaceSearch,
    documents: readonly number[],
  ) => Promise<Question<bigint> | undefined>,
): Promise<Found> {
  const { embedder, namespaceSizes, db } = parts;
  const model = spaceOf(embedder, asked.model);
  const whole = await namespaceSizes.sizeOf(accountId, asked.namespace, model);
  const size = await filteredSize(db, accountId, asked.namespace, whole, asked.tags);
  const vector = parts.vectors.mapOf(accountId).apply(normalize(asked.vector.slice()));
  const turn = { accountId: bytesToAddress(accountId), units: 1 };
  return parts.requestBounds.searches.run(turn, async () => {
    let query: SearchQuery = { ...asked, accountId, model, vector };
    const searched = await parts.namespaceSearches.of(query, size);
    let result = await searched.search(query, size);
    const question = await otherSpellings?.(searched, result.documents);
    if (question) {
      query = { ...query, question };
      result = await searched.search(query, size);
    }
    const matches = await withRelatedness(
      db,
      query,
      result.matches,
      embedder,
      parts.vectors.mapOf(accountId),
    );
    const fused = fuse(
      { ...result, matches },
      size,
      embedder.mock ? lexicalWeights : modelWeights,
      query.question,
    );
    const isCohesive = () => namespaceSizes.isCohesive(accountId, query.namespace, model);
    const weight = asked.context ?? ((await isCohesive()) ? 1 : 0);
    const all = await withContext(searched, query, fused, (each) => isSure(each, embedder), weight);
    const current = returnable(all, asked.tags);
    const found = asked.fields ? withFields(current, asked.fields, fused.scoreOf) : current;
    return { found, mayHaveLost: result.mayHaveLost, question: query.question };
  });
}

/** The memories that the vector search alone found, nearest first. */
function nearestOf(found: readonly Relevance[]): Match[] {
  return found
    .map(({ match }) => match)
    .filter(({ near }) => near)
    .sort((a, b) => a.distance - b.distance);
}
