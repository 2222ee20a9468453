import { ApiError } from '@memrelay/protocol/errors';
import { createGroups } from '../../base/concurrency/groups.ts';
import type { Db } from '../../base/db/db.ts';
import { insertSingles, maxGroup, type SingleWrite } from '../rows/accept-group.ts';

/** Accepts single memories; those that come at the same time share a statement and a commit. */
export interface SingleWrites {
  /**
   * Saves a job, with its idempotency key, before it returns. False, and nothing was written, if the key was used
   * before.
   */
  insert(write: SingleWrite): Promise<boolean>;
}

/** Bytes of envelopes and sealed texts in a statement of several writes */
const maxGroupBytes = 1024 * 1024;
/** One group is sent while another one is being committed */
const groupsAtOnce = 2;

export function createSingleWrites(db: Db): SingleWrites {
  const insertOne = async (write: SingleWrite): Promise<boolean> =>
    (await insertSingles(db, [write])).has(write.job.id);
  const insert = createGroups<SingleWrite, boolean>({
    atOnce: groupsAtOnce,
    maxItems: maxGroup,
    maxSize: maxGroupBytes,
    sizeOf: ({ job: { envelope, outbox } }) => envelope.length + (outbox?.length ?? 0),
    // The second write with a key gets the answer of the first, or is refused: it must see what the first has written
    keyOf: ({ key }) =>
      key &&
      [key.accountId, key.delegatePk, key.keyHash].map((bytes) => bytes.toString('hex')).join() + key.route,
    async run(writes) {
      try {
        const inserted = await insertSingles(db, writes);
        return writes.map(({ job }) => inserted.has(job.id));
      } catch (error) {
        // The statement was rolled back because of one write, so the others succeed without it
        if (writes.length > 1 && isOfOneWrite(error)) return writes.map(insertOne);
        throw error;
      }
    },
  });
  return { insert };
}

/** Data exceptions and violated constraints (Postgres, appendix A), and deadlocks with another transaction. */
function isOfOneWrite(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'overloaded';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code);
}
