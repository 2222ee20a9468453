import type { BlobStoreContext } from './blob-store-context.ts';
import type { Removable } from './storage/storage.ts';

type Parts = Pick<BlobStoreContext, 'storage' | 'registry' | 'locks' | 'deletesDataAtOnce'>;

/** Removes bytes that no live object keeps. */
export interface Sweeper {
  /**
   * Looks at all that is stored: expired and deleted blobs, and content whose store was cut off before its
   * certificate. Returns how many were removed. Rejects, with nothing more removed, when the registry cannot tell.
   * One call waits for the one before.
   */
  sweep(): Promise<number>;
  /** The same for one blob. */
  sweepBlob(blobId: string): Promise<number>;
}

/** How many blobs the registry is asked for at a time. */
const askedTogether = 1000;

/**
 * The data of a deleted blob goes at the end of the epoch in which that happened, as with storage nodes whose
 * `garbage_collection.enable_immediate_data_deletion` is false; with `deletesDataAtOnce` it goes with the next look.
 */
export function createSweeper({ storage, registry, locks, deletesDataAtOnce }: Parts): Sweeper {
  async function isKept(blobId: string): Promise<boolean> {
    if ((await registry.liveObjects(blobId)).length > 0) return true;
    if (await registry.isPromised?.(blobId)) return true;
    return !deletesDataAtOnce && registry.deletedThisEpoch(blobId);
  }

  async function sweepSome(some: Removable[]): Promise<number> {
    const kept = await registry.keptAmong?.(some.map(({ blobId }) => blobId));
    let removed = 0;
    for (const { blobId, remove } of some) {
      if (kept?.has(blobId)) continue;
      await locks.run(blobId, async () => {
        if (await isKept(blobId)) return;
        await remove();
        removed += 1;
      });
    }
    return removed;
  }

  async function sweepAll(all: AsyncIterable<Removable>): Promise<number> {
    let removed = 0;
    let some: Removable[] = [];
    for await (const removable of all) {
      some.push(removable);
      if (some.length < askedTogether) continue;
      removed += await sweepSome(some);
      some = [];
    }
    return removed + (await sweepSome(some));
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    sweep() {
      const sweeping = last.then(async () => {
        const removed = await sweepAll(storage.removable());
        await registry.forgetEnded?.();
        return removed;
      });
      last = sweeping.catch(() => undefined);
      return sweeping;
    },
    sweepBlob: (blobId) => sweepAll(storage.removable(blobId)),
  };
}

/**
 * Sweeps now and at this interval, and a deleted blob as soon as its deletion is heard of, where data shall go at
 * once. Returns how to stop it.
 */
export function startSweeping(
  sweeper: Sweeper,
  intervalMs: number,
  {
    registry,
    deletesDataAtOnce,
    logger,
  }: Pick<BlobStoreContext, 'registry' | 'deletesDataAtOnce' | 'logger'>,
): () => Promise<void> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function run(sweep: () => Promise<number>): Promise<void> {
    if (isStopped) return;
    try {
      const removed = await sweep();
      if (removed > 0) logger.info({ removed }, 'removed blobs that nothing keeps any more');
    } catch (error) {
      logger.warn({ err: error }, 'could not look for blobs to remove');
    }
  }

  function next(sweep: () => Promise<number>): void {
    running = running.then(() => run(sweep));
  }

  next(sweeper.sweep);
  const timer = setInterval(() => next(sweeper.sweep), intervalMs);
  if (deletesDataAtOnce) registry.onDeleted?.((blobId) => next(() => sweeper.sweepBlob(blobId)));
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}
