import type { Db } from '../../base/db/db.ts';

/** When a memory's blob expires, according to the chain. */
export interface PaidUntil {
  accountId: Buffer;
  id: string;
  /** The first epoch in which the blob is expired */
  endEpoch: number;
}

/** Saves end epochs that are later than the saved ones, because owners have extended their objects. One statement. */
export async function saveEndEpochs(db: Db, memories: readonly PaidUntil[]): Promise<void> {
  if (memories.length === 0) return;
  await db.query(
    `UPDATE memory SET end_epoch = known.end_epoch
     FROM unnest($1::text[], $2::uuid[], $3::int[]) AS known (account_id, id, end_epoch)
     WHERE memory.account_id = decode(known.account_id, 'hex') AND memory.id = known.id
       AND coalesce(memory.end_epoch, 0) < known.end_epoch`,
    [
      memories.map(({ accountId }) => accountId.toString('hex')),
      memories.map(({ id }) => id),
      memories.map(({ endEpoch }) => endEpoch),
    ],
  );
}
