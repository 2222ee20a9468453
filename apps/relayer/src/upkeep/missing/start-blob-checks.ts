import {
  savePosition,
  startPeriodicTask,
  type TaskLoop,
  taskPosition,
} from '../../base/concurrency/shared-task.ts';
import {
  dueForLook,
  nextOfWalk,
  timeIsOver,
  type WalkPosition,
  type WatchedMemory,
  walkBegin,
} from '../../jobs/rows/watched-memories.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type BlobLooks, type LookResult, lookAtBlobs } from './look-at-blobs.ts';

export interface BlobCheckOptions extends BlobLooks {
  sidecar: Pick<SidecarClient, 'storeEpoch' | 'storeObjects'>;
  /** At most so many blobs are looked for in an hour */
  perHour: number;
  /** There is something to upload */
  wakeUpload(): void;
}

const name = 'look for blobs';
/** As often as a grace may end, and every five minutes */
const rounds = (graceMs: number) => {
  const everyMs = Math.min(5 * 60_000, Math.max(graceMs, 1_000));
  return {
    name,
    everyMs,
    againAfterFailureMs: 60_000,
    pollMs: Math.min(10_000, everyMs),
  };
};
/** After that a round begins nothing new */
const roundMs = 10 * 60_000;
/** A walk through all memories takes a day at least */
const walkEveryMs = 24 * 3_600_000;
/** The chain is asked once for so many */
const atOnce = 250;

/**
 * Looks whether the blobs of memories are still there: of what recalls did not find, of what expired, and bit by bit of
 * all. At the start and every few minutes, a bounded number, one relayer for all that share the database.
 */
export async function startBlobChecks(options: BlobCheckOptions): Promise<TaskLoop> {
  const { db, log } = options;
  const task = rounds(options.graceMs);
  const perRound = Math.ceil((options.perHour * task.everyMs) / 3_600_000);

  async function look(): Promise<void> {
    const epoch = await options.sidecar.storeEpoch();
    const deadline = Date.now() + roundMs;
    let left = perRound;
    const total: LookResult = { suspected: 0, lost: 0, found: 0, storedAgain: 0, livesOnChain: 0 };

    async function lookAt(memories: readonly WatchedMemory[]): Promise<void> {
      for (let start = 0; start < memories.length && Date.now() < deadline; start += atOnce) {
        const part = memories.slice(start, start + atOnce);
        const result = await lookAtBlobs(options, part, epoch);
        for (const key of Object.keys(total) as (keyof LookResult)[]) total[key] += result[key];
        left -= part.length;
      }
    }

    // However much there is of one kind, the others have their share
    const quarter = Math.ceil(left / 4);
    await lookAt(await dueForLook(db, 'done', Math.min(2 * quarter, left)));
    await lookAt(await timeIsOver(db, epoch, Math.min(quarter, left)));
    await lookAt(await dueForLook(db, 'lost', Math.min(quarter, left)));
    while (left > 0 && Date.now() < deadline) {
      const memories = await nextInWalk(Math.min(left, atOnce));
      if (memories.length === 0) break;
      await lookAt(memories);
    }
    if (total.storedAgain > 0) options.wakeUpload();
    if (Object.values(total).some((count) => count > 0)) log.info(total, 'blobs were looked for');
  }

  /** Nothing more for a day when the walk has come to its end. */
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
    log.warn({ err: error }, 'blobs could not be looked for; it is tried again'),
  );
}

function parsePosition(position = ''): { after: WalkPosition; endedAtMs?: number } {
  const [word, first, id] = position.split(' ');
  if (word === 'after') return { after: { accountId: Buffer.from(first!, 'hex'), id: id! } };
  return { after: walkBegin, ...(word === 'ended' ? { endedAtMs: Number(first) } : {}) };
}
