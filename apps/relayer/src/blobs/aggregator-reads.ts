import { setTimeout } from 'node:timers/promises';
import { backoffMs } from '@memrelay/protocol/backoff';
import { blobIdPattern } from '@memrelay/protocol/fields';
import type { Logger } from 'pino';
import { createFairTurns } from '../base/concurrency/fair-turns.ts';
import { type Aggregator, AggregatorError, createAggregator, type QuiltPatch } from './aggregator.ts';
import { race } from './race.ts';

/** Why a blob could not be read. Only `missing` says that no aggregator knows it, and that more than one said so. */
export class BlobReadError extends Error {
  override name = 'BlobReadError';
  readonly kind: 'missing' | 'unavailable';
  /** How many aggregators said that they do not have it, when all of them did; else 0 */
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
  /** Milliseconds after which the next aggregator is asked too; 0 asks all at once */
  raceAfterMs: number;
  skipConsistencyCheck: boolean;
  /** Largest blob that is read; more is refused while it streams in */
  maxBytes: number;
  /** Time limit of a read, including all aggregators and retries; default 15,000 */
  timeoutMs?: number;
  /** Milliseconds before each repetition, down to half of it at random; a blob that is not fresh has only the first */
  retryDelaysMs?: readonly number[];
  /** Concurrent reads, of which one account gets a quarter; others wait */
  readsAtOnce?: number;
  log: Logger;
}

export interface ReadOptions {
  /** It was stored a moment ago: who does not know it may hear of it soon (spec, blob store, 5) */
  fresh?: boolean;
  /** The aggregator checks the blob whatever STORE_SKIP_CONSISTENCY_CHECK says: for who restores from the chain alone */
  alwaysChecked?: boolean;
  /** Accounts take turns; the relayer's own upkeep names none and counts as one account */
  accountId?: string | undefined;
}

export interface AggregatorReader {
  /**
   * Whole blob, by blob or quilt-patch id, from the first aggregator whose bytes `isRight` accepts: one that serves
   * something else counts as failed. Throws `BlobReadError`.
   */
  read(blobId: string, isRight: (bytes: Buffer) => boolean, options?: ReadOptions): Promise<Buffer>;
  /** The first `length` bytes at most, from the first aggregator that has the blob. Throws `BlobReadError`. */
  readStart(blobId: string, length: number, accountId?: string): Promise<Buffer>;
  /** The files of a quilt. Throws `BlobReadError`, also for a blob that is not a quilt. */
  readPatches(quiltId: string, accountId?: string): Promise<QuiltPatch[]>;
  /** Whether the primary answers `/status` */
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
}

/** About two seconds in all: a person waits for a recall, and a CDN forgets a 404 in that order of time. */
const standardDelaysMs = [250, 500, 1_000];
/**
 * A blob has up to 1.5 MiB, and every aggregator that is raced may send it. What requests read is also bounded by its size
 * (request-bounds.ts).
 */
const standardReadsAtOnce = 128;

/** In the place of an account, for reads of the relayer itself */
const upkeep = '';

/** Ids become part of a path. Throws `BlobReadError` `unavailable`. */
function requireBlobId(blobId: string): void {
  if (!blobIdPattern.test(blobId)) throw new BlobReadError('unavailable');
}

/** Reads blobs from the aggregators, racing the next one against a slow one; the first good answer wins. */
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
      log.warn(about, 'an aggregator served other bytes than were stored');
      throw new AggregatorError('sent other bytes');
    });
    return race(attempts, { afterMs: raceAfterMs, signal: deadline });
  }

  /** Asks one aggregator after the other: for reads that no client waits for. */
  async function askInTurn<T>(
    blobId: string,
    accountId: string | undefined,
    ask: (aggregator: Aggregator, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    requireBlobId(blobId);
    const failures: unknown[] = [];
    for (const aggregator of aggregators) {
      try {
        return await inTurn(accountId, undefined, () => ask(aggregator, AbortSignal.timeout(timeoutMs)));
      } catch (error) {
        failures.push(error);
      }
    }
    throw summary(failures, new AggregateError(failures));
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

/** Whether the same aggregator may have the blob in a moment: 503 and 429 say so, a 404 only of a fresh blob. */
function mayPass(failure: unknown, fresh: boolean): boolean {
  const status = failure instanceof AggregatorError ? failure.status : undefined;
  return status === 503 || status === 429 || (fresh && status === 404);
}

/**
 * Missing when every aggregator says so: one that failed might have had it. And when they are several: a 404 is the
 * word of one party, whose cache may be behind.
 */
function summary(failures: readonly unknown[], cause: unknown): BlobReadError {
  const missing = failures.every((failure) => failure instanceof AggregatorError && failure.status === 404);
  const absentAt = missing ? failures.length : 0;
  return new BlobReadError(absentAt > 1 ? 'missing' : 'unavailable', { cause, absentAt });
}
