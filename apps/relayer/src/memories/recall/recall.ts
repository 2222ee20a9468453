import { searchedQuery } from '@memrelay/protocol/embedding-chunks';
import type { MemoryHit, RecallRequest, RecallResponse } from '@memrelay/protocol/memories';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import type { RelayerContext } from '../../context.ts';
import { normalize } from '../../index/embedding/embedder.ts';
import { spaceOf } from '../../index/embedding/vector-space.ts';
import { questionOf } from '../../index/keywords/question.ts';
import type { Match } from '../reading/match.ts';
import { openEnvelopes } from '../reading/open-envelopes.ts';
import { readEnvelopes } from '../reading/read-envelopes.ts';
import { beginReindex } from '../reindex/background-reindex.ts';
import { fuse, lexicalWeights, modelWeights, type Relevance } from './fusion.ts';
import { countLostMatches } from './lost-matches.ts';
import { isConfirmed, rankMatching, reasonsFor } from './matching.ts';
import { candidateLimit, sizeOf, withinBytes } from './ranking.ts';
import { type SearchQuery, searchMemories } from './search.ts';

/** Bytes of envelopes that one answer may need: everything one account may hold of `RequestBounds.recalling` */
export const recallAnswerBytes = 32 * 1024 * 1024;

/** Envelopes that one recall reads and opens at the same time, bytes; their texts stay until the answer is sent */
const readBytes = 8 * 1024 * 1024;

/** The request that a recall is for. */
export interface Recalling {
  stages: StageTimes;
  /** Waits for room for the envelopes, whose sizes are known from their rows */
  hold: Hold;
  /** Ends the work when the client has gone */
  gone: AbortSignal;
}

/**
 * The nearest memories of a namespace, decrypted for the caller (spec, `POST /api/recall`). The best ones whose envelopes
 * are at most `recallAnswerBytes` together; the others count as dropped. Throws `ApiError`.
 */
export async function recall(
  context: RelayerContext,
  caller: Caller,
  request: RecallRequest,
  { stages, hold, gone }: Recalling,
): Promise<RecallResponse> {
  requireReadable(context, caller, request.namespace);
  requireFreshAccount(caller);
  requireDecryptCredential(context, caller);
  context.requireEmbedder();
  const query = searchedQuery(request.query);
  const vector = await stages.measure('embed', () =>
    context.queryVectors.vectorOf(caller.account.accountId, query.text),
  );
  const accountId = hexToBytes(caller.account.accountId);
  const tag = context.tagOf(caller.account.origin, request.namespace);
  const question = context.blindIndex.questionTokens(
    accountId,
    tag,
    questionOf(query.text, context.embedder.mock),
  );
  const found = await stages.measure('search', () =>
    search(context, accountId, {
      namespace: request.namespace,
      vector,
      question,
      limit: candidateLimit(request),
      includePending: request.include_pending,
    }),
  );
  const reasonOf = reasonsFor(request, context.embedder);
  const matching = found.filter((relevance) => reasonOf(relevance) !== undefined);
  const ranked = rankMatching(matching, reasonOf, request, Date.now());
  const fitting = withinBytes(ranked, recallAnswerBytes);
  await stages.measure('turn', () => hold(sizeOf(fitting)));
  const readTexts = async (): Promise<(string | undefined)[]> => {
    const texts: (string | undefined)[] = [];
    // Also where nothing was found: the credential is checked there
    do {
      gone.throwIfAborted();
      const part = withinBytes(fitting.slice(texts.length), readBytes);
      const matches = part.map(({ match }) => match);
      const envelopes = await stages.measure('blobs', () => readEnvelopes(context, accountId, matches));
      texts.push(
        ...(await stages.measure('open', () =>
          openEnvelopes(context, caller, request.namespace, part, envelopes),
        )),
      );
    } while (texts.length < fitting.length);
    return texts;
  };
  const [texts, lost] = await Promise.all([
    readTexts(),
    stages.measure('blobs', () =>
      countLostMatches(context, accountId, request, { vector, question }, nearestOf(matching)),
    ),
  ]);
  const { stale } = await context.namespaceSizes.sizeOf(accountId, request.namespace, context.embedder.model);
  // The credential has just opened something, or would have
  if (stale > 0) beginReindex(context, caller, request.namespace);
  const results: MemoryHit[] = [];
  let unreadable = ranked.length - fitting.length;
  for (const [i, { match, score, relevance }] of fitting.entries()) {
    const text = texts[i];
    if (text === undefined) {
      unreadable += 1;
      continue;
    }
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
    ...(context.embedder.mock ? { mock: true } : {}),
  };
}

/** Throws `insufficient_scope` unless the caller may read there. */
export function requireReadable(context: RelayerContext, caller: Caller, namespace: string): void {
  requirePermission(caller, 'read', context.tagOf(caller.account.origin, namespace));
}

/** The memories that are near, best first; vectors of the present model are compared unless another is named. */
export async function search(
  context: RelayerContext,
  accountId: Buffer,
  query: Omit<SearchQuery, 'accountId' | 'model'> & { model?: string | undefined },
): Promise<Relevance[]> {
  const { mock } = context.embedder;
  const model = spaceOf(context.embedder, query.model);
  const size = await context.namespaceSizes.sizeOf(accountId, query.namespace, model);
  const vector = context.vectors.mapOf(accountId).apply(normalize(query.vector.slice()));
  const turn = { accountId: bytesToAddress(accountId), units: 1 };
  const result = await context.requestBounds.searches.run(turn, () =>
    searchMemories(context.db, { ...query, accountId, model, vector }, size),
  );
  return fuse(result, size, mock ? lexicalWeights : modelWeights, query.question);
}

/** Those that the vector alone would have found, nearest first. */
function nearestOf(found: readonly Relevance[]): Match[] {
  return found
    .map(({ match }) => match)
    .filter(({ near }) => near)
    .sort((a, b) => a.distance - b.distance);
}
