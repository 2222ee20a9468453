import pLimit from 'p-limit';
import type { AccountSnapshot } from '../accounts/account-directory.ts';
import { BlobReadError } from '../blobs/aggregator-reads.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { lookIntoBlob, lookIntoPatch } from './look-into-blob.ts';
import { currentLook, saveKnown, savePage, type UnknownBlob, unknownBlobs } from './look-rows.ts';
import { patchesToLookInto, saveHeader } from './restore-rows.ts';

export type RestoreFailure = { blob_id: string; reason: string };

const readsAtOnce = 16;
const batchSize = 200;

type Sources = Pick<RelayerContext, 'db' | 'sidecar' | 'aggregators'>;

/**
 * Finds the account's envelopes among all that its owner holds, and what those of one namespace are; what is known from
 * before is not read again. False when `deadline` (`performance.now`) came first: the next call goes on. What cannot be
 * read now is in `failed`, and keeps nothing else back. Throws `ApiError` when the chain cannot be asked.
 */
export async function lookOnChain(
  { db, sidecar, aggregators }: Sources,
  account: AccountSnapshot,
  tag: Buffer,
  deadline: number,
  failed: RestoreFailure[],
): Promise<boolean> {
  const accountId = hexToBytes(account.accountId);
  const origin = hexToBytes(account.origin);
  const isLate = (): boolean => performance.now() > deadline;
  const limit = pLimit(readsAtOnce);
  const unreadable = (blobId: string) => (error: unknown) => {
    if (!(error instanceof BlobReadError)) throw error;
    failed.push({ blob_id: blobId, reason: error.kind === 'missing' ? 'missing' : 'unreadable' });
  };

  const look = await currentLook(db, accountId, account.owner);
  for (let { cursor, ended } = look; !ended; ) {
    if (isLate()) return false;
    const page = await sidecar.ownedBlobs({
      owner: account.owner,
      ...(cursor === undefined ? {} : { cursor }),
    });
    await savePage(db, accountId, page);
    cursor = page.cursor;
    ended = cursor === undefined;
  }
  const lookInto = async (blob: UnknownBlob): Promise<void> => {
    const envelopes = await lookIntoBlob(aggregators, origin, blob);
    await saveKnown(db, accountId, blob.blobId, envelopes);
  };
  for (let after = ''; ; ) {
    const blobs = await unknownBlobs(db, accountId, after, batchSize);
    if (blobs.length === 0) break;
    if (isLate()) return false;
    await Promise.all(blobs.map((blob) => limit(() => lookInto(blob).catch(unreadable(blob.blobId)))));
    after = blobs.at(-1)!.blobId;
  }
  for (let after = ''; ; ) {
    const patches = await patchesToLookInto(db, accountId, tag, after, batchSize);
    if (patches.length === 0) return true;
    if (isLate()) return false;
    const lookIntoOne = async (patch: (typeof patches)[number]): Promise<void> =>
      saveHeader(db, accountId, patch.storedAs, await lookIntoPatch(aggregators, origin, patch));
    await Promise.all(
      patches.map((patch) => limit(() => lookIntoOne(patch).catch(unreadable(patch.storedAs)))),
    );
    after = patches.at(-1)!.storedAs;
  }
}
