import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { readObjects } from '../../blobs/read-objects.ts';
import type { BlobReads } from '../../blobs/read-stored.ts';
import { saveEndEpochs } from '../../blobs/rows/end-epochs.ts';
import { maxQuiltBytes } from '../../jobs/upload/quilt-bounds.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { countExpiring, type Expiring, expiringMemories, insertRenewal } from '../rows/renewal-rows.ts';
import { readForRenewal, type StoredMemory } from './read-for-renewal.ts';
import { renewWrapsAndTombstones } from './renew-wraps-and-tombstones.ts';

export interface RenewalOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'storeEpoch' | 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** Renew blobs with at most this many epochs left; undefined only logs a warning */
  epochsLeft: number | undefined;
  /** Limit of renewals per hour */
  perHour: number;
  /** Maximum number of memories in a quilt */
  maxItems: number;
  /** Called when there is something to upload */
  wakeUpload(): void;
  log: Logger;
}

const rounds = {
  name: 'renew memories',
  everyMs: 60 * 60_000,
  againAfterFailureMs: 60_000,
  pollMs: 10_000,
};
const readsAtOnce = 4;
/** Minimum number of memories that are read and queued together, for small quilts */
const leastTogether = 16;
/** Without renewals, memories that expire within this many epochs are logged */
const warnEpochs = 1;

type Outcome = 'queued' | 'unreadable' | 'not needed';

interface Round {
  queued: number;
  /** Memories whose owners have extended their blobs */
  prolonged: number;
  unreadable: number;
  left: number;
}

/**
 * Renews memories, new wraps of keys and tombstones before their blobs expire: stores the same envelope, which has the
 * same blob id, as a new object of the owner. Runs once an hour, at one of the relayers that share the database.
 */
export async function startRenewals(options: RenewalOptions): Promise<TaskLoop> {
  const { db, sidecar, log } = options;
  const reads = pLimit(readsAtOnce);

  async function look(): Promise<void> {
    const epoch = await sidecar.storeEpoch();
    if (options.epochsLeft === undefined) await warn(epoch);
    else await renew(epoch, options.epochsLeft);
  }

  async function warn(epoch: number): Promise<void> {
    const count = await countExpiring(db, epoch, epoch + warnEpochs);
    if (count > 0)
      log.warn(
        { memories: count, end_epoch: epoch + warnEpochs },
        'memories expire with this storage epoch and are not renewed: STORE_RENEW_EPOCHS is off',
      );
  }

  async function renew(epoch: number, epochsLeft: number): Promise<void> {
    const last = epoch + epochsLeft;
    if ((await renewWrapsAndTombstones(options, epoch, last)) > 0) options.wakeUpload();
    const due = await expiringMemories(db, epoch, last, options.perHour);
    if (due.length === 0) return;
    const wanted = await stillDue(due, last);
    const outcomes: Outcome[] = [];
    for (const memories of inQuilts(wanted, options.maxItems))
      outcomes.push(...(await renewTogether(memories)));
    const round: Round = {
      prolonged: due.length - wanted.length,
      queued: outcomes.filter((outcome) => outcome === 'queued').length,
      unreadable: outcomes.filter((outcome) => outcome === 'unreadable').length,
      left: (await countExpiring(db, epoch, last)) - wanted.length,
    };
    options.wakeUpload();
    if (round.unreadable > 0 || round.left > 0)
      log.warn(round, 'hourly renewal limit reached or blobs unreadable; some memories expire soon');
    else log.info(round, 'memories that expire soon queued for renewal');
  }

  /**
   * Returns the memories whose blobs still expire by then. Owners may have extended objects, so the chain is asked
   * about all of them before anything is paid for, and the new expiry epochs are saved.
   */
  async function stillDue(due: readonly Expiring[], last: number): Promise<(Expiring & StoredMemory)[]> {
    const objects = await readObjects(
      sidecar,
      due.map(({ objectId }) => objectId),
    );
    const ends = new Map(objects.map(({ object_id, end_epoch }) => [object_id, end_epoch]));
    const known = due.map((memory) => ({
      ...memory,
      endEpoch: Math.max(memory.endEpoch, ends.get(memory.objectId ?? '') ?? 0),
      isDeleted: memory.objectId !== undefined && !ends.has(memory.objectId),
    }));
    await saveEndEpochs(
      db,
      known.filter(({ endEpoch }, i) => endEpoch > due[i]!.endEpoch),
    );
    return known.filter(({ endEpoch }) => endEpoch <= last);
  }

  /** The envelopes are read separately but queued together, so that they go into one quilt. */
  async function renewTogether(memories: readonly (Expiring & StoredMemory)[]): Promise<Outcome[]> {
    const { accountId } = memories[0]!;
    const account = await options.accounts.account(`0x${accountId.toString('hex')}`);
    if (!account) return memories.map(() => 'not needed');
    const envelopes = await reads.map(memories, (memory) => readForRenewal(options, memory));
    return db.transaction(async (tx) => {
      const outcomes: Outcome[] = [];
      for (const [i, memory] of memories.entries()) {
        const envelope = envelopes[i];
        if (!envelope) outcomes.push('unreadable');
        else {
          const isQueued = await insertRenewal(tx, memory, account.owner, envelope);
          outcomes.push(isQueued ? 'queued' : 'not needed');
        }
      }
      return outcomes;
    });
  }

  return startPeriodicTask(db, rounds, look, (error) =>
    log.warn({ err: error }, 'renewal of memories failed; will retry'),
  );
}

/**
 * Groups memories of one namespace, as many as fit into a quilt, with those of one old quilt next to each other. Packed
 * in the same way, they produce the same blob.
 */
function inQuilts(memories: readonly Expiring[], maxItems: number): Expiring[][] {
  const placeOf = ({ accountId, namespace }: Expiring): string => `${accountId.toString('hex')} ${namespace}`;
  const most = Math.max(maxItems, leastTogether);
  const quilts: Expiring[][] = [];
  for (const all of Map.groupBy(memories, placeOf).values()) {
    let bytes = Number.POSITIVE_INFINITY;
    for (const memory of all.toSorted((a, b) => (a.blobId < b.blobId ? -1 : 1))) {
      bytes += memory.size;
      if (bytes <= maxQuiltBytes && quilts.at(-1)!.length < most) quilts.at(-1)!.push(memory);
      else {
        quilts.push([memory]);
        bytes = memory.size;
      }
    }
  }
  return quilts;
}
