import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { Db } from '../../base/db/db.ts';
import { bytesToAddress } from '../../base/db/hex.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { saveOwner } from '../rows/save-progress.ts';
import { triedBlobs } from '../rows/stray-rows.ts';

export interface OwnerParts {
  db: Db;
  accounts: Pick<AccountDirectory, 'account'>;
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  log: Logger;
}

/**
 * The owner who gets the object of these jobs: the account's current owner, who may have changed since they were
 * accepted. If the object has already reached the former owner, it stays there: it is paid for and can be read like any
 * other. Undefined when the chain does not answer.
 */
export async function presentOwner(
  { db, accounts, sidecar, log }: OwnerParts,
  jobs: readonly [ClaimedJob, ...ClaimedJob[]],
): Promise<string | undefined> {
  const [{ id, accountId, owner: former, checkpoint }] = jobs;
  try {
    const account = await accounts.account(bytesToAddress(accountId));
    if (!account || account.owner === former) return former;
    const about = { job_id: id, jobs: jobs.length, former, owner: account.owner };
    // An upload would resume the blob that was tried last
    const blob_ids = triedBlobs(checkpoint).slice(-1);
    if (blob_ids.length > 0) {
      const { objects } = await sidecar.storeObjects({ object_ids: [], owned: { owner: former, blob_ids } });
      const ends = jobs.map((job) => job.checkpoint.min_end_epoch ?? 0);
      if (objects.some(({ certified, end_epoch }) => certified && end_epoch >= Math.max(...ends))) {
        log.warn(about, 'an object reached the former owner before the account changed hands');
        return former;
      }
    }
    await saveOwner(db, jobs, account.owner);
    log.info(about, 'the account changed hands: the object goes to its current owner');
    return account.owner;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
