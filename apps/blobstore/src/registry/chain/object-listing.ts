import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import type { FoundObject, ObjectRecord, PageRequest } from '../blob-registry.ts';
import { pageOfIds } from '../page-of-ids.ts';
import { type CertifiedBlob, isCertified, type KnownBlob } from './blob-index.ts';
import { type ReadBlob, readBlobs } from './blob-objects.ts';
import type { Freshness } from './freshness.ts';
import { readShared } from './sharing.ts';
import type { ChainParts } from './store-batch.ts';

/** Storage id of an object that no longer exists. */
const noObject = `0x${'0'.repeat(64)}`;

/**
 * Details of individual objects. Events show which objects are live; the other fields are read from the objects.
 */
export interface ObjectListing {
  /** A live certified blob by the id of its object, or of the SharedBlob object that contains it. */
  find(objectId: string): Promise<FoundObject | undefined>;
  list(page: PageRequest & { blobId?: string }): Promise<ObjectRecord[]>;
  listBlobIds(page: PageRequest): Promise<string[]>;
}

/** The record of an object that can no longer be read, as far as events show it. */
function fromEvents(
  { objectId, blobId, size, ...known }: KnownBlob,
  nShards: number,
): ObjectRecord['object'] {
  const { registeredEpoch, endEpoch, deletable, certificate } = known;
  return {
    id: objectId,
    registeredEpoch,
    blobId,
    size,
    certifiedEpoch: certificate?.epoch ?? null,
    storage: {
      id: noObject,
      startEpoch: registeredEpoch,
      endEpoch,
      storageSize: encodedBlobLength(size, nShards),
    },
    deletable,
  };
}

export function createObjectListing(parts: ChainParts, freshness: Freshness): ObjectListing {
  const { chain, system, index, kept } = parts;
  const { packageId, nShards } = system;

  /** A blob whose known id no longer resolves on chain. */
  async function wrapped(objectId: string): Promise<ReadBlob | undefined> {
    const known = index.objects.get(objectId);
    return known && readShared(parts, known);
  }

  function certified(objectId: string, epoch: number): CertifiedBlob[] {
    const known = index.objects.liveById(objectId, epoch);
    return known !== undefined && isCertified(known) ? [known] : [];
  }

  async function describe(known: KnownBlob, read: ReadBlob | undefined): Promise<ObjectRecord> {
    const standing = read ?? (await readShared(parts, known));
    const shared = standing?.sharedBlobObject;
    return {
      object: standing?.object ?? fromEvents(known, nShards),
      attributes: standing?.attributes ?? {},
      owned: kept.has(known.objectId),
      burnt: standing === undefined,
      ...(shared === undefined ? {} : { sharedBlobObject: shared }),
      event: known.certificate?.event ?? known.registration,
    };
  }

  return {
    async find(objectId) {
      const read = (await readBlobs(chain, packageId, [objectId])).get(objectId) ?? (await wrapped(objectId));
      if (read === undefined) return undefined;
      const { id } = read.object;
      const [known] = await freshness.ask((epoch) => certified(id, epoch));
      if (known === undefined) return undefined;
      const { blobId, endEpoch, deletable, certificate } = known;
      const { attributes } = read;
      return {
        objectId: id,
        blobId,
        endEpoch,
        deletable,
        event: certificate.event,
        owned: kept.has(id),
        attributes,
      };
    },

    async list({ blobId, ...page }) {
      const epoch = await freshness.now();
      const live =
        blobId === undefined
          ? index.objects.values().filter(({ endEpoch }) => endEpoch > epoch)
          : index.objects.liveOf(blobId, epoch);
      const byId = new Map(live.map((known) => [known.objectId, known]));
      const ids = pageOfIds([...byId.keys()], page);
      const read = await readBlobs(chain, packageId, ids);
      const records: ObjectRecord[] = [];
      for (const id of ids) records.push(await describe(byId.get(id)!, read.get(id)));
      return records;
    },

    async listBlobIds(page) {
      const epoch = await freshness.now();
      const hasObjects = (blobId: string) => index.objects.liveOf(blobId, epoch).length > 0;
      return pageOfIds(index.objects.blobIds().filter(hasObjects), page);
    },
  };
}
