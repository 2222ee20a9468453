import type { Logger } from 'pino';
import type { KeyedLock } from '../base/keyed-lock.ts';
import type { Removable, Storage } from '../storage/storage.ts';
import type { BlobRegistry } from './blob-registry.ts';

interface SweepingParts {
  registry: BlobRegistry;
  /** Whether the data of a deleted blob is removed immediately instead of at the end of the epoch */
  deletesDataAtOnce: boolean;
  logger: Logger;
}

interface Parts extends SweepingParts {
  storage: Storage;
  /** Locked by blob id while the sweep decides about it */
  locks: KeyedLock;
  /** Grace period of content that the registry does not know, in milliseconds */
  quarantineMs: number;
  /** Milliseconds since 1970 */
  now: () => number;
}

/** Removes bytes that no live object keeps. */
export interface Sweeper {
  /** Quarantines content that the registry does not know and logs it. Removes nothing. */
  survey(): Promise<void>;
  /**
   * Checks all stored content, and removes the bytes of blobs that have expired or were deleted. Content that the
   * registry does not know may belong to blobs whose entries were lost, so it is removed only after its time in
   * quarantine. Returns the number of blobs removed. Rejects, without removing more, when the registry does not
   * respond. One call waits for the previous one.
   */
  sweep(): Promise<number>;
  /** The same for one blob. */
  sweepBlob(blobId: string): Promise<number>;
}

/** Number of blobs per query of the registry. */
const askedTogether = 1000;

type Fate = 'kept' | 'ended' | 'unknown';

/** One pass over the content. */
interface Pass {
  mayRemove: boolean;
  /** By blob id: when the blob was put in quarantine, in milliseconds since 1970 */
  held: ReadonlyMap<string, number>;
  seen: Set<string>;
  added: string[];
  dropped: string[];
  removed: number;
}

/**
 * The data of a deleted blob is removed at the end of the epoch of its deletion, as by storage nodes whose
 * `garbage_collection.enable_immediate_data_deletion` is false; with `deletesDataAtOnce` the next sweep removes it.
 */
export function createSweeper(parts: Parts): Sweeper {
  const { storage, registry, locks, deletesDataAtOnce, quarantineMs, now, logger } = parts;
  const { quarantine } = storage;

  async function fateOf(blobId: string): Promise<Fate> {
    if ((await registry.liveObjects(blobId)).length > 0) return 'kept';
    if (await registry.isPromised(blobId)) return 'kept';
    if (!deletesDataAtOnce && (await registry.deletedThisEpoch(blobId))) return 'kept';
    return (await registry.hasEnded(blobId)) ? 'ended' : 'unknown';
  }

  async function judge({ blobId, remove }: Removable, pass: Pass): Promise<void> {
    const fate = await fateOf(blobId);
    const sinceMs = pass.held.get(blobId);
    if (fate === 'unknown' && sinceMs === undefined) pass.added.push(blobId);
    if (sinceMs !== undefined && fate !== 'unknown') pass.dropped.push(blobId);
    const isOver = fate === 'ended' || (sinceMs !== undefined && now() - sinceMs >= quarantineMs);
    if (fate === 'kept' || !isOver || !pass.mayRemove) return;
    await remove();
    registry.forgetBlob?.(blobId);
    if (fate === 'unknown') pass.dropped.push(blobId);
    pass.removed += 1;
  }

  async function judgeSome(some: Removable[], pass: Pass): Promise<void> {
    const kept = await registry.keptAmong?.(some.map(({ blobId }) => blobId));
    for (const removable of some) {
      const { blobId } = removable;
      pass.seen.add(blobId);
      if (!kept?.has(blobId)) await locks.run(blobId, () => judge(removable, pass));
      else if (pass.held.has(blobId)) pass.dropped.push(blobId);
    }
    // Saved before the next blobs are checked, so that a failed pass does not restart their quarantine.
    await quarantine.add(pass.added.splice(0), now());
  }

  async function run(look: { blobId?: string; mayRemove: boolean }): Promise<Pass> {
    const quarantined = await quarantine.list();
    const pass: Pass = {
      mayRemove: look.mayRemove,
      held: quarantined,
      seen: new Set(),
      added: [],
      dropped: [],
      removed: 0,
    };
    let some: Removable[] = [];
    for await (const removable of storage.removable(look)) {
      some.push(removable);
      if (some.length < askedTogether) continue;
      await judgeSome(some, pass);
      some = [];
    }
    await judgeSome(some, pass);
    await quarantine.drop(pass.dropped);
    return pass;
  }

  /** A pass over all content, which also drops blobs from quarantine that are no longer stored. */
  async function runAll(mayRemove: boolean): Promise<number> {
    const { held: quarantined, seen, removed } = await run({ mayRemove });
    const gone: string[] = [];
    for (const blobId of quarantined.keys()) {
      if (!seen.has(blobId) && (await storage.find(blobId)) === undefined) gone.push(blobId);
    }
    await quarantine.drop(gone);
    await report(quarantined);
    return removed;
  }

  async function report(before: ReadonlyMap<string, number>): Promise<void> {
    const quarantined = await quarantine.list();
    const added = [...quarantined.keys()].filter((blobId) => !before.has(blobId));
    const removed = [...before.keys()].filter((blobId) => !quarantined.has(blobId));
    if (added.length > 0) {
      logger.error(
        {
          added: added.length,
          held: quarantined.size,
          removedAfterMs: quarantineMs,
          blobIds: added.slice(0, 20),
        },
        `${added.length} stored blobs are unknown to the registry and now in quarantine. They are not served, and are ` +
          'removed when their grace period ends. If the registry is not the latest one, stop the store and restore that; ' +
          'otherwise store the blobs that you need again',
      );
    } else if (quarantined.size > 0) {
      logger.warn({ held: quarantined.size, removedAfterMs: quarantineMs }, 'blobs are in quarantine');
    }
    if (removed.length > 0)
      logger.warn({ left: removed.length, held: quarantined.size }, 'blobs left quarantine');
  }

  let last: Promise<unknown> = Promise.resolve();
  function afterLast<T>(work: () => Promise<T>): Promise<T> {
    const working = last.then(work);
    last = working.catch(() => undefined);
    return working;
  }

  return {
    survey: () =>
      afterLast(async () => {
        await runAll(false);
      }),
    sweep: () =>
      afterLast(async () => {
        const removed = await runAll(true);
        await registry.forgetEnded?.();
        return removed;
      }),
    sweepBlob: async (blobId) => (await run({ blobId, mayRemove: true })).removed,
  };
}

/**
 * Surveys now, sweeps at this interval, and sweeps a deleted blob as soon as its deletion is known, if data is
 * removed immediately. Nothing is removed at the start, because the registry may be the wrong one. Returns a function
 * that stops it.
 */
export function startSweeping(
  sweeper: Sweeper,
  intervalMs: number,
  { registry, deletesDataAtOnce, logger }: SweepingParts,
): () => Promise<void> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function run(work: () => Promise<number>): Promise<void> {
    if (isStopped) return;
    try {
      const removed = await work();
      if (removed > 0) logger.info({ removed }, 'removed expired and deleted blobs');
    } catch (error) {
      logger.warn({ err: error }, 'search for blobs to remove failed; will retry');
    }
  }

  function next(work: () => Promise<number>): void {
    running = running.then(() => run(work));
  }

  next(async () => {
    await sweeper.survey();
    return 0;
  });
  const timer = setInterval(() => next(sweeper.sweep), intervalMs);
  if (deletesDataAtOnce) registry.onDeleted?.((blobId) => next(() => sweeper.sweepBlob(blobId)));
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}
