import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { bytesToAddress } from '../../base/db/hex.ts';
import { readObjects } from '../../blobs/read-objects.ts';
import { stillNeeded } from '../../jobs/rows/tombstoned-blobs.ts';
import {
  type ExpiringEnvelope,
  expiringTombstones,
  expiringWraps,
  renewEnvelope,
  saveEnvelopeEnd,
} from '../../jobs/rows/wraps-and-tombstones.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { findEnvelope, type Sources } from './read-for-renewal.ts';

interface RenewOtherOptions extends Sources {
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
  /** Limit of each kind per hour */
  perHour: number;
  log: Logger;
}

/**
 * Queues renewals of an owner's other envelopes that expire by the epoch `last`. These are new wraps of keys, without
 * which a restore could not read what was wrapped for earlier key servers, and tombstones, while a blob that they
 * forget is alive and a restore would bring it back. Returns how many were queued.
 */
export async function renewWrapsAndTombstones(
  options: RenewOtherOptions,
  epoch: number,
  last: number,
): Promise<number> {
  const { db, perHour } = options;
  const wraps = await expiringWraps(db, epoch, last, perHour);
  const tombstones = await expiringTombstones(db, epoch, last, perHour);
  const due = [...wraps, ...(await tombstonesInUse(options, tombstones, epoch))];
  const objects = await readObjects(
    options.sidecar,
    due.map(({ objectId }) => objectId),
  );
  const ends = new Map(objects.map(({ object_id, end_epoch }) => [object_id, end_epoch]));
  let queued = 0;
  for (const each of due) {
    const endEpoch = Math.max(each.endEpoch, ends.get(each.objectId ?? '') ?? 0);
    if (endEpoch > each.endEpoch) await saveEnvelopeEnd(db, each, endEpoch);
    if (endEpoch <= last && (await renew(options, { ...each, endEpoch }))) queued += 1;
  }
  return queued;
}

async function renew(options: RenewOtherOptions, each: ExpiringEnvelope): Promise<boolean> {
  const account = await options.accounts.account(bytesToAddress(each.accountId));
  const { bytes } = await findEnvelope(options, each);
  if (account && bytes) return renewEnvelope(options.db, each, account.owner, bytes);
  options.log.warn(
    { job_id: each.jobId },
    'cannot read a tombstone or a new wrap of a key, which will expire',
  );
  return false;
}

/**
 * Asks the chain, account by account, which objects the owner holds. An account whose query fails is retried in an
 * hour.
 */
async function tombstonesInUse(
  { db, sidecar, accounts, log }: RenewOtherOptions,
  tombstones: readonly ExpiringEnvelope[],
  epoch: number,
): Promise<ExpiringEnvelope[]> {
  const needed: ExpiringEnvelope[] = [];
  for (const [id, own] of Map.groupBy(tombstones, ({ accountId }) => bytesToAddress(accountId)))
    try {
      const account = await accounts.account(id);
      if (!account) continue;
      const { objects } = await sidecar.storeObjects({ object_ids: [], owned: { owner: account.owner } });
      needed.push(...(await stillNeeded(db, own[0]!.accountId, own, objects, epoch)));
    } catch (error) {
      log.warn({ err: error, account_id: id }, 'cannot determine required tombstones yet');
    }
  return needed;
}
