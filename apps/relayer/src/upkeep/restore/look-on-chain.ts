import pLimit from 'p-limit';
import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { type AggregatorReader, BlobReadError } from '../../blobs/aggregator-reads.ts';
import type { Place } from '../../jobs/rows/forgotten-objects.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import {
  currentLook,
  type Look,
  saveKnown,
  savePage,
  saveUnread,
  unknownBlobs,
} from '../rows/chain-scan-rows.ts';
import { passOverIndexed, patchesToLookInto, saveHeader, saveUnreadPatch } from '../rows/restore-rows.ts';
import { lookIntoBlob, lookIntoPatch, type Starts } from './look-into-blob.ts';

export type RestoreFailure = { blob_id: string; reason: string };

const readsAtOnce = 16;
const batchSize = 200;

export interface ChainScanParts {
  db: Db;
  sidecar: Pick<SidecarClient, 'ownedBlobs'>;
  aggregators: Pick<AggregatorReader, 'readStart' | 'readPatches'>;
}

/**
 * Finds the account's envelopes among all that its owner holds, and what those of one namespace are; what is known from
 * before is not read again. False when `deadline` (`performance.now`) came first: the next call goes on. What cannot be
 * read is in `failed`, keeps nothing else back, and is tried again when there is time; `before`: when the call began, by
 * the database's clock. With `since` the objects are listed anew unless that began later. Throws `ApiError` when the chain
 * cannot be asked.
 */
export async function lookOnChain(
  { db, sidecar, aggregators }: ChainScanParts,
  account: AccountSnapshot,
  place: Place,
  { deadline, before, since }: { deadline: number; before: Date; since?: Date | undefined },
  failed: RestoreFailure[],
): Promise<boolean> {
  const { accountId } = place;
  const origin = hexToBytes(account.origin);
  const isLate = (): boolean => performance.now() > deadline;

  const { owner } = account;
  const isListed = (look: Look): boolean =>
    look.ended && (since === undefined || Number(look.name) >= since.getTime() * 1_000);
  for (
    let look = await currentLook(db, accountId, owner, since);
    !isListed(look);
    look = await currentLook(db, accountId, owner, since)
  ) {
    for (let { cursor, ended } = look; !ended; ) {
      if (isLate()) return false;
      const page = await sidecar.ownedBlobs({ owner, ...(cursor === undefined ? {} : { cursor }) });
      if (!(await savePage(db, accountId, page, look))) break;
      cursor = page.cursor;
      ended = cursor === undefined;
    }
  }

  /** Batch after batch; late, those that were tried in vain already are left for another call. */
  async function lookIntoAll<T extends { tried: boolean }>(
    next: () => Promise<T[]>,
    nameOf: (one: T) => string,
    lookInto: (one: T) => Promise<void>,
    saveUnreadOne: (db: Db, accountId: Buffer, name: string) => Promise<void>,
  ): Promise<boolean> {
    const limit = pLimit(readsAtOnce);
    for (;;) {
      const batch = await next();
      if (batch.length === 0) return true;
      if (isLate()) return batch[0]!.tried;
      const one = async (each: T): Promise<void> => {
        if (isLate()) return;
        try {
          await lookInto(each);
        } catch (error) {
          if (!(error instanceof BlobReadError)) throw error;
          await saveUnreadOne(db, accountId, nameOf(each));
          failed.push({ blob_id: nameOf(each), reason: error.kind === 'missing' ? 'missing' : 'unreadable' });
        }
      };
      await Promise.all(batch.map((each) => limit(() => one(each))));
    }
  }

  const starts: Starts = {
    readStart: (blobId, length) => aggregators.readStart(blobId, length, account.accountId),
    readPatches: (quiltId) => aggregators.readPatches(quiltId, account.accountId),
  };
  const isThrough = await lookIntoAll(
    () => unknownBlobs(db, accountId, before, batchSize),
    ({ blobId }) => blobId,
    async (blob) => saveKnown(db, accountId, blob.blobId, await lookIntoBlob(starts, origin, blob)),
    saveUnread,
  );
  if (!isThrough) return false;
  await passOverIndexed(db, place);
  return lookIntoAll(
    () => patchesToLookInto(db, place, before, batchSize),
    ({ storedAs }) => storedAs,
    async (patch) => saveHeader(db, accountId, patch.storedAs, await lookIntoPatch(starts, origin, patch)),
    saveUnreadPatch,
  );
}
