import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db } from '../../base/db/db.ts';
import { savePosition, taskPosition } from '../../base/rows/shared-tasks.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import {
  type DueStrayCheck,
  dueStrayChecks,
  noteRepeated,
  scheduleStrayCheck,
} from '../rows/stray-checks.ts';
import { readKnownBlobs, saveStrays } from '../rows/stray-rows.ts';
import { findStrays } from './find-strays.ts';

export interface StrayOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
  log: Logger;
}

const rounds = {
  name: 'look for stray objects',
  everyMs: 10_000,
  againAfterFailureMs: 30_000,
  pollMs: 5_000,
};
/** Accounts in one round; an owner with very many objects takes seconds */
const accountsPerRound = 20;

/**
 * Finds blob objects that were paid for but that no memory needs, where uploads were started more than once or aborted,
 * and lists them for their owners to delete. It repeats the search for an hour, because a publisher may store late.
 */
export async function startStrays({ db, sidecar, accounts, log }: StrayOptions): Promise<TaskLoop> {
  async function look(): Promise<void> {
    await savePosition(db, rounds.name, await noteRepeated(db, await taskPosition(db, rounds.name)));
    for (const due of await dueStrayChecks(db, accountsPerRound)) await lookAt(due);
  }

  async function lookAt(due: DueStrayCheck): Promise<void> {
    const account_id = `0x${due.accountId.toString('hex')}`;
    const account = await accounts.account(account_id);
    const owned = account
      ? (await sidecar.storeObjects({ object_ids: [], owned: { owner: account.owner } })).objects
      : [];
    // Read after the chain: every object in its answer is in the database by now, or its upload is still running there
    const known = await readKnownBlobs(db, due.accountId);
    const strays = findStrays(owned, known);
    const { paid_twice, forgotten } = await saveStrays(db, due.accountId, strays);
    if (paid_twice > 0)
      log.warn(
        { account_id, objects: paid_twice },
        'blobs were paid for twice: their owner may delete the second object',
      );
    if (forgotten > 0)
      log.info({ account_id, objects: forgotten }, 'blobs were stored after their memories were forgotten');
    await scheduleStrayCheck(db, due, strays.length > 0);
  }

  return startPeriodicTask(db, rounds, look, (error) =>
    log.warn({ err: error }, 'the search for stray blob objects failed; it will be retried'),
  );
}
