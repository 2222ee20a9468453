import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import { savePosition, taskPosition } from '../../base/rows/shared-tasks.ts';
import {
  dueForCheck,
  nextOfWalk,
  timeIsOver,
  type WalkPosition,
  type WatchedMemory,
  walkBegin,
} from '../../jobs/rows/watched-memories.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type BlobCheckParts, type BlobCheckResult, checkBlobs } from './check-blobs.ts';

export interface BlobCheckOptions extends BlobCheckParts {
  sidecar: Pick<SidecarClient, 'storeEpoch' | 'storeObjects'>;
  /** Limit of blob checks per hour */
  perHour: number;
  /** Called when there is something to upload */
  wakeUpload(): void;
}

const name = 'look for blobs';
/** Interval between rounds: as short as the grace period, and at most five minutes */
const rounds = (graceMs: number) => {
  const everyMs = Math.min(5 * 60_000, Math.max(graceMs, 1_000));
  return {
    name,
    everyMs,
    againAfterFailureMs: 60_000,
    pollMs: Math.min(10_000, everyMs),
  };
};
/** After this time a round starts nothing new */
const roundMs = 10 * 60_000;
/** A walk through all memories takes at least a day */
const walkEveryMs = 24 * 3_600_000;
/** Memories per query of the chain */
const atOnce = 250;

/**
 * Checks whether the blobs of memories still exist: those that recalls did not find, those that expired, and step by
 * step all of them. Runs at the start and every few minutes, with a limit, at one of the relayers that share the
 * database.
 */
export async function startBlobChecks(options: BlobCheckOptions): Promise<TaskLoop> {
  const { db, log } = options;
  const task = rounds(options.graceMs);
  const perRound = Math.ceil((options.perHour * task.everyMs) / 3_600_000);

  async function look(): Promise<void> {
    const epoch = await options.sidecar.storeEpoch();
    const deadline = Date.now() + roundMs;
    let left = perRound;
    const total: BlobCheckResult = { suspected: 0, lost: 0, found: 0, storedAgain: 0, livesOnChain: 0 };

    async function lookAt(memories: readonly WatchedMemory[]): Promise<void> {
      for (let start = 0; start < memories.length && Date.now() < deadline; start += atOnce) {
        const part = memories.slice(start, start + atOnce);
        const result = await checkBlobs(options, part, epoch);
        for (const key of Object.keys(total) as (keyof BlobCheckResult)[]) total[key] += result[key];
        left -= part.length;
      }
    }

    // Each kind gets its share, however many memories there are of the others
    const quarter = Math.ceil(left / 4);
    await lookAt(await dueForCheck(db, 'done', Math.min(2 * quarter, left)));
    await lookAt(await timeIsOver(db, epoch, Math.min(quarter, left)));
    await lookAt(await dueForCheck(db, 'lost', Math.min(quarter, left)));
    while (left > 0 && Date.now() < deadline) {
      const memories = await nextInWalk(Math.min(left, atOnce));
      if (memories.length === 0) break;
      await lookAt(memories);
    }
    if (total.storedAgain > 0) options.wakeUpload();
    if (Object.values(total).some((count) => count > 0)) log.info(total, 'blobs checked');
  }

  /** Empty for a day after the walk has finished. */
  async function nextInWalk(limit: number): Promise<WatchedMemory[]> {
    const position = parsePosition(await taskPosition(db, name));
    if (position.endedAtMs !== undefined && Date.now() - position.endedAtMs < walkEveryMs) return [];
    const memories = await nextOfWalk(db, position.after, limit);
    const last = memories.at(-1);
    const next =
      last && memories.length === limit
        ? `after ${last.accountId.toString('hex')} ${last.id}`
        : `ended ${Date.now()}`;
    await savePosition(db, name, next);
    return memories;
  }

  return startPeriodicTask(db, task, look, (error) =>
    log.warn({ err: error }, 'blob checks failed; will retry'),
  );
}

function parsePosition(position = ''): { after: WalkPosition; endedAtMs?: number } {
  const [word, first, id] = position.split(' ');
  if (word === 'after') return { after: { accountId: Buffer.from(first!, 'hex'), id: id! } };
  return { after: walkBegin, ...(word === 'ended' ? { endedAtMs: Number(first) } : {}) };
}
