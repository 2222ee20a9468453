import type { Db } from '../../base/db/db.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { endAsDuplicate, promoteDuplicate, readKeeper, waitForKeeper } from '../rows/duplicate-rows.ts';
import { lockKeeper, replaceKeeper } from '../rows/known-texts.ts';

/** The outcome for a claimed job. */
export type Settlement =
  /** It is not a duplicate, or no longer one, because the memory that kept the text failed or is lost: the job continues */
  | { is: 'own' }
  /** The text is stored, but a search with the current model does not find it: the vectors of this job are for that memory */
  | { is: 'refresh'; memoryId: string }
  /** The job ended with the blob of the other memory, or waits for it: nothing to do now */
  | { is: 'settled' };

/** What the caller knows about the job and its duplicate. */
export interface DuplicateEvidence {
  /** Model of the vectors that the job can get; undefined when its text is no longer stored */
  model: string | undefined;
  /** The memory whose blob was just read */
  readable: string | undefined;
}

/**
 * Decides about a job whose text another memory may keep, under a lock on the text, so that of several duplicates of
 * a failed memory one takes its place. A memory that is neither new nor was read just now counts as lost: at worst its
 * text is stored twice. Throws `LeaseLostError`.
 */
export async function settleDuplicate(
  db: Db,
  job: ClaimedJob,
  { model, readable }: DuplicateEvidence,
): Promise<Settlement> {
  const { id, accountId, textHash, duplicate } = job;
  if (!duplicate || !textHash) return { is: 'own' };
  const hashed = { id, accountId, textHash };
  return db.transaction(async (tx): Promise<Settlement> => {
    const keeperId = await lockKeeper(tx, hashed);
    const keeper = await readKeeper(tx, job.accountId, keeperId, model ?? '');
    const isThere =
      keeper.state === 'done' && (keeper.trusted || keeperId === readable) && !keeper.superseded;
    if (keeperId !== job.id && isThere) {
      if (model !== undefined && !keeper.searchable) return { is: 'refresh', memoryId: keeperId };
      await endAsDuplicate(tx, job, keeperId);
      return { is: 'settled' };
    }
    if (keeperId !== job.id && keeper.status === 'running') {
      await waitForKeeper(tx, job);
      return { is: 'settled' };
    }
    await replaceKeeper(tx, hashed);
    await promoteDuplicate(tx, job);
    return { is: 'own' };
  });
}
