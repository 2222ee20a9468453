import pLimit from 'p-limit';
import type { Db } from '../../base/db/db.ts';
import { bytesToAddress } from '../../base/db/hex.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { type BlobReads, findStored, isStored } from '../../blobs/read-stored.ts';
import { readPending } from '../../jobs/rows/read-jobs.ts';
import { suspect } from '../../jobs/rows/unreadable.ts';
import type { Match } from '../rows/match.ts';

export interface EnvelopeSources {
  db: Db;
  blobCache: BlobCache;
  aggregators: BlobReads;
}

/** Identifies a memory whose envelope is to be read. */
export type EnvelopeLocation = Pick<Match, 'id' | 'blobId' | 'envelopeSha256' | 'createdAt'>;

/** Concurrent aggregator reads of one recall, so that a large one leaves room for others */
const coldReadsAtOnce = 16;

/** How long after a memory was accepted its blob may be unknown to an aggregator, or to a cache in front of it. */
const freshMs = 5 * 60_000;

/**
 * Returns the envelope of each match: from the cache, from an aggregator, or from the job row while it is pending. A
 * memory that was uploaded since it was found is read like any other. `undefined` where it cannot be read: one missing
 * blob never fails the others. Bytes whose digest differs from the row's are ignored, wherever they come from, and
 * never enter the cache.
 */
export async function readEnvelopes(
  sources: EnvelopeSources,
  accountId: Buffer,
  matches: readonly EnvelopeLocation[],
): Promise<(Buffer | undefined)[]> {
  const pending = matches.flatMap(({ blobId, id }) => (blobId === undefined ? [id] : []));
  const { envelopes, blobIds } = await readPending(sources.db, accountId, pending);
  const stored = matches.flatMap((match) => {
    const blobId = match.blobId ?? blobIds.get(match.id);
    return blobId === undefined ? [] : [{ ...match, blobId }];
  });
  const cached = await sources.blobCache.getMany(stored.map(({ blobId }) => blobId));
  const found = new Map<string, Buffer>(envelopes);
  const cold: typeof stored = [];
  for (const [i, match] of stored.entries()) {
    if (cached[i] && isStored(match, cached[i])) found.set(match.id, cached[i]);
    else cold.push(match);
  }
  const limit = pLimit(coldReadsAtOnce);
  const absent: string[] = [];
  let aggregators = 0;
  await Promise.all(
    cold.map((match) =>
      limit(async () => {
        const fresh = Date.now() - match.createdAt.getTime() < freshMs;
        const { bytes, absentAt } = await findStored(
          sources.aggregators,
          { blobId: match.blobId, envelopeSha256: match.envelopeSha256 },
          { fresh, accountId: bytesToAddress(accountId) },
        );
        if (bytes) {
          found.set(match.id, bytes);
          await sources.blobCache.set(match.blobId, bytes);
        } else if (absentAt > 0 && !fresh) {
          absent.push(match.id);
          aggregators = absentAt;
        }
      }),
    ),
  );
  if (absent.length > 0) await suspect(sources.db, accountId, absent, aggregators);
  return matches.map((match) => found.get(match.id));
}
