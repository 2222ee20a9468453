import type { ManualHit, RecallManualRequest, RecallManualResponse } from '@memrelay/protocol/memories';
import { noQuestion } from '@memrelay/text-index/question';
import type { Caller } from '../../accounts/caller.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { patchIdLength } from '../../jobs/rows/forgotten-objects.ts';
import { blobsOfStored, readPending } from '../../jobs/rows/read-jobs.ts';
import { refusePrivateFields, requireVector } from '../reading/private-fields.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { type SignerParts, trustedSigners } from '../reading/trusted-signers.ts';
import { candidateLimit, type RankedMatch, rank, sizeOf, withinBytes } from './ranking.ts';
import { type RecallRun, requireReadable, type SearchParts, search } from './recall.ts';

/** Maximum bytes of pending memories in one answer; the others are found again once they are stored. */
const maxPendingBytes = 4 * 1024 * 1024;

export interface RecallManualParts extends SearchParts, SignerParts, NamespaceTags {
  /** A request's vector of the right length. Throws `invalid_request`. */
  checkVector(vector: readonly number[]): Float32Array;
}

/**
 * Searches with the client's own vector and returns blob ids and digests, no texts (spec, `POST /api/recall/manual`).
 * Pending memories include their bytes, which are not stored anywhere else yet.
 */
export async function recallManual(
  parts: RecallManualParts,
  caller: Caller,
  request: RecallManualRequest,
  { stages, hold }: Pick<RecallRun, 'stages' | 'hold'>,
): Promise<RecallManualResponse> {
  requireReadable(parts, caller, request.namespace);
  const { private: question, include_envelopes, explain } = request;
  refusePrivateFields({ private: question, include_envelopes, explain });
  const accountId = hexToBytes(caller.account.accountId);
  const { found } = await stages.measure('search', () =>
    search(parts, accountId, {
      namespace: request.namespace,
      model: request.embedding_model,
      vector: parts.checkVector(requireVector(request.vector)),
      question: noQuestion,
      limit: candidateLimit(request),
      includePending: request.include_pending,
      context: 0,
    }),
  );
  const ranked = rank(found, request, Date.now());
  const pending = ranked.filter(({ match }) => match.blobId === undefined);
  const fitting = withinBytes(pending, maxPendingBytes);
  const tooMany = pending.slice(fitting.length).map(({ match }) => match.id);
  await stages.measure('turn', () => hold(sizeOf(fitting)));
  const [{ envelopes, blobIds }, uploaded, writers] = await Promise.all([
    readPending(
      parts.db,
      accountId,
      fitting.map(({ match }) => match.id),
    ),
    blobsOfStored(parts.db, accountId, tooMany),
    trustedSigners(parts, caller.account),
  ]);
  const results = ranked.flatMap((each) => {
    const blobId = each.match.blobId ?? blobIds.get(each.match.id) ?? uploaded.get(each.match.id);
    if (blobId !== undefined) return [hitOf({ ...each, match: { ...each.match, blobId } })];
    const envelope = envelopes.get(each.match.id);
    if (!envelope) return [];
    return [{ ...hitOf(each), pending: true as const, encrypted_data: envelope.toString('base64') }];
  });
  const dropped = ranked.length - results.length;
  return {
    results,
    total: results.length,
    ...(dropped > 0 ? { dropped_count: dropped } : {}),
    trusted_writers: writers,
  };
}

function hitOf({ match, score }: RankedMatch): ManualHit {
  return {
    ...(match.blobId === undefined ? {} : { blob_id: match.blobId }),
    distance: match.distance,
    ...(match.blobId?.length === patchIdLength ? { quilt_patch: true } : {}),
    id: match.id,
    created_at: match.createdAt.toISOString(),
    sha256: match.envelopeSha256.toString('hex'),
    ...(score === undefined ? {} : { score }),
    ...(match.supersededBy ? { superseded_by: match.supersededBy } : {}),
  };
}
