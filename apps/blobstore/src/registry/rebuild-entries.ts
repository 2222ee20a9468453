import { copyFile } from 'node:fs/promises';
import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import type { Logger } from 'pino';
import type { StoredBlob, StoredContent } from '../storage/storage.ts';
import { maxEpochsAhead, type ObjectRecord } from './blob-registry.ts';
import { isCertified, type LocalState } from './local-state.ts';
import { newEvent, newObjectId } from './new-object.ts';

export const noContent: StoredContent = { blobs: () => [], has: () => false };

interface Rebuilding {
  /** As read from the journal; modified in place */
  state: LocalState;
  content: StoredContent;
  nShards: number;
  /** The journal */
  path: string;
  /** Whether the journal is known to lack records that were acknowledged */
  lacksRecords: boolean;
  logger: Logger;
}

/**
 * A new entry for a blob whose entry was lost. Only its id and size are known, from the name of its file. The new
 * object belongs to the publisher, is deletable, and lives as long as the longest possible store.
 */
function entryOf({ blobId, size }: StoredBlob, epoch: number, nShards: number): ObjectRecord {
  const endEpoch = epoch + maxEpochsAhead;
  const storageSize = encodedBlobLength(size, nShards);
  return {
    object: {
      id: newObjectId(),
      registeredEpoch: epoch,
      blobId,
      size,
      certifiedEpoch: epoch,
      storage: { id: newObjectId(), startEpoch: epoch, endEpoch, storageSize },
      deletable: true,
    },
    attributes: {},
    owned: true,
    burnt: false,
    event: newEvent(),
  };
}

function certifiedNow(record: ObjectRecord, epoch: number): ObjectRecord {
  return { ...record, object: { ...record.object, certifiedEpoch: epoch }, event: newEvent() };
}

/**
 * Restores entries that the journal lacks because it is an older copy, truncated or lost. That is detected by the
 * journal itself (`lacksRecords`), or by content without an entry, since entries are written first. In that case
 * - content without an entry gets one, unless the journal says that it was deleted,
 * - a registration with its content is certified: the certificate may be among the lost records,
 * - ends in the journal are considered uncertain from here on (`LocalState.doubt`). The journal is copied before it
 *   is rewritten.
 */
export async function rebuildEntries(parts: Rebuilding): Promise<void> {
  const { state, content, nShards, path, lacksRecords, logger } = parts;
  const epoch = state.reached;
  for (const blobId of state.endedBlobs()) if (!content.has(blobId)) state.forgetBlob(blobId);
  const isUnknown = ({ blobId }: StoredBlob) =>
    !state.objects.hasBlob(blobId) && state.ended(blobId) === undefined;
  if (!lacksRecords && ![...content.blobs()].some(isUnknown)) return;

  const copy = await keepCopy(path);
  state.doubt();
  let rebuilt = 0;
  let certified = 0;
  let deleted = 0;
  for (const blob of content.blobs()) {
    const { blobId } = blob;
    if (state.objects.hasBlob(blobId)) {
      const live = state.objects.liveOf(blobId, epoch).map(({ record }) => record);
      if (live.some(isCertified)) continue;
      for (const record of live) state.apply(certifiedNow(record, epoch));
      certified += 1;
    } else if (state.ended(blobId)?.wasDeleted) deleted += 1;
    else {
      state.apply(entryOf(blob, epoch, nShards));
      rebuilt += 1;
    }
  }
  logger.error(
    { registry: path, copy, rebuilt, certified, deleted },
    `the registry is incomplete: it is older than the blobs, or truncated. Nothing was deleted. ${rebuilt} unlisted ` +
      `blobs have new entries for ${maxEpochsAhead} epochs, with new object ids and without their attributes; ` +
      `${certified} registrations were certified; ${deleted} blobs that it lists as deleted are kept in quarantine. To ` +
      'get the original entries back, stop this store, restore the latest copy of the registry and restart',
  );
}

/** Copies the original journal. Returns the path of the copy; undefined if there is no journal. */
async function keepCopy(path: string): Promise<string | undefined> {
  const at = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const copy = path.replace(/\.jsonl$/, `.found-${at}.jsonl`);
  try {
    await copyFile(path, copy);
    return copy;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
