import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { Db } from '../../base/db/db.ts';
import { bytesToAddress } from '../../base/db/hex.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { saveOwner } from '../rows/save-progress.ts';
import { triedBlobs } from '../rows/stray-rows.ts';

/** What tells to whom a blob goes. */
export interface OwnerParts {
  db: Db;
  accounts: Pick<AccountDirectory, 'account'>;
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  log: Logger;
}

/**
 * To whom the object of these jobs goes: whoever owns the account now, which may have been handed over since they were
 * accepted. Only where it has reached the former owner already it stays there: it is paid for, and read like any other.
 * Undefined when the chain cannot be asked.
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
    // The one that was tried last is the one that an upload would take up
    const blob_ids = triedBlobs(checkpoint).slice(-1);
    if (blob_ids.length > 0) {
      const { objects } = await sidecar.storeObjects({ object_ids: [], owned: { owner: former, blob_ids } });
      const ends = jobs.map((job) => job.checkpoint.min_end_epoch ?? 0);
      if (objects.some(({ certified, end_epoch }) => certified && end_epoch >= Math.max(...ends))) {
        log.warn(about, 'an object had reached the former owner before the account was handed over');
        return former;
      }
    }
    await saveOwner(db, jobs, account.owner);
    log.info(about, 'the account was handed over: the object goes to its present owner');
    return account.owner;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
