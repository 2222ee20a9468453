import { setTimeout } from 'node:timers/promises';
import { backoffMs } from '@memrelay/protocol/backoff';
import { blobIdPattern } from '@memrelay/protocol/fields';
import type { Logger } from 'pino';
import { createFairTurns } from '../base/concurrency/fair-turns.ts';
import { type Aggregator, AggregatorError, createAggregator, type QuiltPatch } from './aggregator.ts';
import { race } from './race.ts';

/**
 * Why a blob could not be read. `missing` means that all aggregators, at least two, reported that they do not have it.
 */
export class BlobReadError extends Error {
  override name = 'BlobReadError';
  readonly kind: 'missing' | 'unavailable';
  /** How many aggregators do not have the blob; 0 unless all of them reported that */
  readonly absentAt: number;
  constructor(kind: 'missing' | 'unavailable', options: ErrorOptions & { absentAt?: number } = {}) {
    super(kind === 'missing' ? 'no aggregator has the blob' : 'no aggregator could be read', options);
    this.kind = kind;
    this.absentAt = options.absentAt ?? 0;
  }
}

export interface AggregatorOptions {
  /** The primary first */
  urls: readonly string[];
  /** Delay in ms before the next aggregator is also asked; 0 asks all at once */
  raceAfterMs: number;
  skipConsistencyCheck: boolean;
  /** Largest blob that is read; a larger one is rejected while it streams in */
  maxBytes: number;
  /** Time limit of a read, including all aggregators and retries; default 15,000 */
  timeoutMs?: number;
  /** Delay in ms before each retry, reduced at random by up to half; only fresh blobs get more than one retry */
  retryDelaysMs?: readonly number[];
  /** Maximum concurrent reads, of which one account gets a quarter; other reads wait */
  readsAtOnce?: number;
  log: Logger;
}

export interface ReadOptions {
  /** The blob was just stored: an aggregator that does not have it yet may have it soon (spec, blob store, 5) */
  fresh?: boolean;
  /** Ignores STORE_SKIP_CONSISTENCY_CHECK: the aggregator checks the blob. For restores, which know only the chain. */
  alwaysChecked?: boolean;
  /** Accounts take turns; the relayer's own reads have no account and count together as one */
  accountId?: string | undefined;
}

export interface AggregatorReader {
  /**
   * Reads a whole blob, by blob or quilt-patch id, from the first aggregator whose bytes `isRight` accepts. An
   * aggregator that returns other bytes counts as failed. Throws `BlobReadError`.
   */
  read(blobId: string, isRight: (bytes: Buffer) => boolean, options?: ReadOptions): Promise<Buffer>;
  /** Reads at most the first `length` bytes, from the first aggregator that has the blob. Throws `BlobReadError`. */
  readStart(blobId: string, length: number, accountId?: string): Promise<Buffer>;
  /** Lists the patches of a quilt. Throws `BlobReadError`, also for a blob that is not a quilt. */
  readPatches(quiltId: string, accountId?: string): Promise<QuiltPatch[]>;
  /** Whether the primary answers `/status` */
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
}

/** About two seconds in total: a person waits for a recall, and CDNs cache a 404 for about that long. */
const standardDelaysMs = [250, 500, 1_000];
/**
 * A blob has up to 1.5 MiB, and each raced aggregator may send it. Reads of requests are also limited by size
 * (request-bounds.ts).
 */
const standardReadsAtOnce = 128;

/** Used instead of an account id for the relayer's own reads */
const upkeep = '';

/** Ids become part of a path. Throws `BlobReadError` `unavailable`. */
function requireBlobId(blobId: string): void {
  if (!blobIdPattern.test(blobId)) throw new BlobReadError('unavailable');
}

/**
 * Reads blobs from the aggregators. If one is slow, the next one is raced against it; the first valid response wins.
 */
export function createAggregatorReader(options: AggregatorOptions): AggregatorReader {
  const { log, maxBytes, raceAfterMs, retryDelaysMs = standardDelaysMs, timeoutMs = 15_000 } = options;
  const aggregators = options.urls.map(createAggregator);
  const turns = createFairTurns({ total: options.readsAtOnce ?? standardReadsAtOnce });
  const inTurn = <T>(
    accountId: string | undefined,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => turns.run({ accountId: accountId ?? upkeep, units: 1, signal }, work);

  /** Asks each aggregator at most once. */
  function readRound(
    blobId: string,
    isRight: (bytes: Buffer) => boolean,
    skipConsistencyCheck: boolean,
    deadline: AbortSignal,
  ): Promise<Buffer> {
    const attempts = aggregators.map((aggregator) => async (signal: AbortSignal) => {
      const about = { blob_id: blobId, aggregator: aggregator.host };
      const request = { skipConsistencyCheck, maxBytes, signal };
      const bytes = await aggregator.get(blobId, request).catch((error: unknown) => {
        if (!signal.aborted) log.debug({ ...about, err: error }, 'aggregator read failed');
        throw error;
      });
      if (isRight(bytes)) return bytes;
      log.warn(about, 'an aggregator returned other bytes than were stored');
      throw new AggregatorError('sent other bytes');
    });
    return race(attempts, { afterMs: raceAfterMs, signal: deadline });
  }

  /** Asks one aggregator after the other, twice if a retry may help. For reads that no client waits for. */
  async function askInTurn<T>(
    blobId: string,
    accountId: string | undefined,
    ask: (aggregator: Aggregator, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    requireBlobId(blobId);
    const delays = retryDelaysMs.slice(0, 1);
    for (let round = 0; ; round++) {
      const failures: unknown[] = [];
      for (const aggregator of aggregators) {
        try {
          return await inTurn(accountId, undefined, () => ask(aggregator, AbortSignal.timeout(timeoutMs)));
        } catch (error) {
          failures.push(error);
        }
      }
      const delay = delays[round];
      if (delay === undefined || !failures.some((failure) => mayPass(failure, false)))
        throw summary(failures, new AggregateError(failures));
      await setTimeout(backoffMs(1, { firstMs: delay, maxMs: delay }));
    }
  }

  return {
    readStart: (blobId, length, accountId) =>
      askInTurn(blobId, accountId, (aggregator, signal) => aggregator.start(blobId, length, signal)),
    readPatches: (quiltId, accountId) =>
      askInTurn(quiltId, accountId, (aggregator, signal) => aggregator.patches(quiltId, signal)),
    async read(blobId, isRight, { fresh = false, alwaysChecked = false, accountId } = {}) {
      requireBlobId(blobId);
      // undici's own timeouts restart with every byte
      const deadline = AbortSignal.timeout(timeoutMs);
      const skipCheck = options.skipConsistencyCheck && !alwaysChecked;
      const delays = fresh ? retryDelaysMs : retryDelaysMs.slice(0, 1);
      for (let round = 0; ; round++) {
        try {
          return await inTurn(accountId, deadline, () => readRound(blobId, isRight, skipCheck, deadline));
        } catch (error) {
          const failures: unknown[] = error instanceof AggregateError ? error.errors : [];
          const delay = delays[round];
          if (delay === undefined || !failures.some((failure) => mayPass(failure, fresh)))
            throw summary(failures, error);
          await setTimeout(backoffMs(1, { firstMs: delay, maxMs: delay }), undefined, {
            signal: deadline,
          }).catch(() => {
            throw summary([], deadline.reason);
          });
        }
      }
    },
    health: () => aggregators[0]!.health(),
    async close() {
      await Promise.all(aggregators.map((aggregator) => aggregator.close()));
    },
  };
}

/** Codes of a connection that was closed before the response: also one that the aggregator closed while it was idle */
const lostConnection: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Whether a retry at the same aggregator may help: after a lost connection, 503 and 429, and after a 404 only for a fresh
 * blob.
 */
function mayPass(failure: unknown, fresh: boolean): boolean {
  if (lostConnection.has((failure as { code?: unknown }).code)) return true;
  const status = failure instanceof AggregatorError ? failure.status : undefined;
  return status === 503 || status === 429 || (fresh && status === 404);
}

/**
 * `missing` only if every aggregator returned 404, since one that failed might have the blob, and only if there are
 * several: the cache of a single aggregator may be outdated.
 */
function summary(failures: readonly unknown[], cause: unknown): BlobReadError {
  const missing = failures.every((failure) => failure instanceof AggregatorError && failure.status === 404);
  const absentAt = missing ? failures.length : 0;
  return new BlobReadError(absentAt > 1 ? 'missing' : 'unavailable', { cause, absentAt });
}
