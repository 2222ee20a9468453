import pLimit from 'p-limit';
import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { type AggregatorReader, BlobReadError } from '../../blobs/aggregator-reads.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import {
  type ChainScan,
  currentScan,
  saveEnvelopes,
  savePage,
  saveUnreadBlob,
  unknownBlobs,
} from '../rows/chain-scan-rows.ts';
import { markIndexed, saveHeader, saveUnreadPatch, unknownPatches } from '../rows/restore-rows.ts';
import { type BlobStarts, findEnvelopes, readPatchHeader } from './find-envelopes.ts';

export type RestoreFailure = { blob_id: string; reason: string };

const readsAtOnce = 16;
const batchSize = 200;

export interface ChainScanParts {
  db: Db;
  sidecar: Pick<SidecarClient, 'ownedBlobs'>;
  aggregators: Pick<AggregatorReader, 'readStart' | 'readPatches'>;
}

/**
 * Finds the account's envelopes among all objects of its owner, and the kind of those in one namespace. What is already
 * known is not read again. Returns false if `deadline` (`performance.now`) came first; the next call continues.
 * Unreadable blobs are added to `failed`, do not stop the scan, and are retried when there is time. `before` is when
 * the call began, by the database's clock. With `since`, the objects are listed again unless the last listing started
 * after it. Throws `ApiError` if the chain cannot be queried.
 */
export async function scanChain(
  { db, sidecar, aggregators }: ChainScanParts,
  account: AccountSnapshot,
  ns: AccountNamespace,
  { deadline, before, since }: { deadline: number; before: Date; since?: Date | undefined },
  failed: RestoreFailure[],
): Promise<boolean> {
  const { accountId } = ns;
  const origin = hexToBytes(account.origin);
  const isLate = (): boolean => performance.now() > deadline;

  const { owner } = account;
  const isListed = (look: ChainScan): boolean =>
    look.ended && (since === undefined || Number(look.name) >= since.getTime() * 1_000);
  for (
    let look = await currentScan(db, accountId, owner, since);
    !isListed(look);
    look = await currentScan(db, accountId, owner, since)
  ) {
    for (let { cursor, ended } = look; !ended; ) {
      if (isLate()) return false;
      const page = await sidecar.ownedBlobs({ owner, ...(cursor === undefined ? {} : { cursor }) });
      if (!(await savePage(db, accountId, page, look))) break;
      cursor = page.cursor;
      ended = cursor === undefined;
    }
  }

  /** Works through all batches. After the deadline, entries that have already failed are left for another call. */
  async function readAll<T extends { tried: boolean }>(
    next: () => Promise<T[]>,
    nameOf: (one: T) => string,
    read: (one: T) => Promise<void>,
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
          await read(each);
        } catch (error) {
          if (!(error instanceof BlobReadError)) throw error;
          await saveUnreadOne(db, accountId, nameOf(each));
          failed.push({ blob_id: nameOf(each), reason: error.kind === 'missing' ? 'missing' : 'unreadable' });
        }
      };
      await Promise.all(batch.map((each) => limit(() => one(each))));
    }
  }

  const starts: BlobStarts = {
    readStart: (blobId, length) => aggregators.readStart(blobId, length, account.accountId),
    readPatches: (quiltId) => aggregators.readPatches(quiltId, account.accountId),
  };
  const isComplete = await readAll(
    () => unknownBlobs(db, accountId, before, batchSize),
    ({ blobId }) => blobId,
    async (blob) => saveEnvelopes(db, accountId, blob.blobId, await findEnvelopes(starts, origin, blob)),
    saveUnreadBlob,
  );
  if (!isComplete) return false;
  await markIndexed(db, ns);
  return readAll(
    () => unknownPatches(db, ns, before, batchSize),
    ({ storedAs }) => storedAs,
    async (patch) => saveHeader(db, accountId, patch.storedAs, await readPatchHeader(starts, origin, patch)),
    saveUnreadPatch,
  );
}
