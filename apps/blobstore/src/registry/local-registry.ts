import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import { createKeyedLock } from '../base/keyed-lock.ts';
import {
  type AfterStore,
  type BlobRegistry,
  maxEpochsAhead,
  type NewBlob,
  type ObjectRecord,
  type PaidObject,
  RegistryRefusedError,
  RegistryUnavailableError,
} from './blob-registry.ts';
import { epochAt } from './epoch-clock.ts';
import { asCertified, asUncertified, isCertified, type JournalRecord } from './local-state.ts';
import { newEvent, newObjectId, toPaid } from './new-object.ts';
import { type LocalRegistryOptions, openLocalState } from './open-local-state.ts';
import { pageOfIds } from './page-of-ids.ts';
import { defaultPrices, extensionCost, registrationCost, writeCost } from './pricing.ts';

const scheduleKey = 'schedule';

/** The object after it was certified and `after` was applied. */
function finished(record: ObjectRecord, certifiedEpoch: number, after: AfterStore): ObjectRecord {
  const shared = after.share ? { sharedBlobObject: newObjectId() } : {};
  return {
    ...record,
    ...shared,
    object: { ...record.object, certifiedEpoch },
    event: isCertified(record) ? record.event : newEvent(),
    attributes: { ...record.attributes, ...after.attributes },
    owned: after.sendObjectTo === undefined && !after.share && !after.burn,
    burnt: after.burn ?? false,
  };
}

/**
 * Opens a registry without a chain: objects with random ids in a journal, epochs advanced by the clock or manually.
 * Owners cannot act on it themselves, so the store deletes objects and sets attributes regardless of their owner.
 * At startup the journal is rewritten with the live entries, and missing entries are rebuilt from the content.
 * Throws a plain error if the journal is damaged anywhere but at its end.
 */
export async function openLocalRegistry(options: LocalRegistryOptions): Promise<BlobRegistry> {
  const { nShards } = options;
  const { state, journal, ...opened } = await openLocalState(options);
  let { schedule } = opened;
  /** By object id, and one key for the schedule, because each change depends on the previous one */
  const changes = createKeyedLock();

  function epochNow(): number {
    const epoch = epochAt(schedule, options.now());
    if (epoch > state.reached) {
      state.reached = epoch;
      state.prune(epoch);
      // Only needed if the clock is later set back, so it is not awaited. A failure is reported by the next change.
      void journal.append({ reached: epoch }).catch(() => undefined);
    }
    return state.reached;
  }

  async function save(record: JournalRecord): Promise<void> {
    try {
      await journal.append(record);
    } catch (error) {
      throw new RegistryUnavailableError('failed to write the registry', { cause: error });
    }
    state.apply(record);
  }

  function storageFor({ size, epochs, storageId }: NewBlob) {
    const storageSize = encodedBlobLength(size, nShards);
    const startEpoch = epochNow();
    if (storageId === undefined) {
      const storage = { id: newObjectId(), startEpoch, endEpoch: startEpoch + epochs, storageSize };
      return { storage, cost: registrationCost(storageSize, epochs, defaultPrices) };
    }
    const storage = state.spares.get(storageId);
    if (storage === undefined || storage.endEpoch <= startEpoch || storage.storageSize < storageSize) {
      throw new RegistryRefusedError('not-found', `${storageId} is not spare storage of sufficient size`);
    }
    state.spares.delete(storageId);
    return { storage, cost: writeCost(storageSize, defaultPrices) };
  }

  function registration(blob: NewBlob): { record: ObjectRecord; cost: number } {
    const { storage, cost } = storageFor(blob);
    const { blobId, size, deletable } = blob;
    const registeredEpoch = epochNow();
    const object = {
      id: newObjectId(),
      registeredEpoch,
      blobId,
      size,
      certifiedEpoch: null,
      storage,
      deletable,
    };
    return { record: { object, attributes: {}, owned: true, burnt: false, event: newEvent() }, cost };
  }

  /** The object to be changed. Throws if it does not exist. */
  function existing(objectId: string): ObjectRecord {
    const found = state.objects.liveById(objectId, epochNow());
    if (found === undefined || found.record.burnt) {
      throw new RegistryRefusedError('not-found', `object ${objectId} does not exist`);
    }
    return found.record;
  }

  function owned(objectId: string): ObjectRecord {
    const record = existing(objectId);
    if (record.owned) return record;
    throw new RegistryRefusedError('not-owned', `${objectId} is not an object of this publisher`);
  }

  /** Writes a registration. If that fails, the spare storage that it uses becomes available again. */
  async function saveRegistration(record: ObjectRecord, { storageId }: NewBlob): Promise<void> {
    try {
      await save(record);
    } catch (error) {
      if (storageId !== undefined) state.spares.set(storageId, record.object.storage);
      throw error;
    }
  }

  async function extend(record: ObjectRecord, epochs: number, after: AfterStore): Promise<PaidObject> {
    const now = epochNow();
    const { storage, certifiedEpoch } = record.object;
    const endEpoch = storage.endEpoch + epochs;
    if (endEpoch > now + maxEpochsAhead) {
      throw new RegistryRefusedError('too-long', `storage is limited to ${maxEpochsAhead} epochs`);
    }
    const longer = { ...record, object: { ...record.object, storage: { ...storage, endEpoch } } };
    const done = finished(longer, certifiedEpoch ?? now, after);
    await save(done);
    return toPaid(done, extensionCost(storage.storageSize, epochs, defaultPrices));
  }

  return {
    async currentEpoch() {
      return epochNow();
    },

    async store(blob, keepContent) {
      const { record, cost } = registration(blob);
      // Written first, so that content never exists without an entry, which would look like a lost entry.
      await saveRegistration(record, blob);
      await keepContent();
      const { id } = record.object;
      return changes.run(id, async () => {
        const epoch = epochNow();
        if (state.objects.liveById(id, epoch) === undefined) {
          throw new RegistryUnavailableError(
            'the registration expired or was deleted before it was certified',
          );
        }
        const done = finished(record, epoch, blob);
        await save(done);
        return toPaid(done, cost);
      });
    },

    async register(blob) {
      const { record } = registration(blob);
      await saveRegistration(record, blob);
      return record.object.id;
    },

    certify: (objectId, extendBy, after = {}) =>
      changes.run(objectId, async () => extend(owned(objectId), extendBy, after)),

    extend: (objectId, epochs, after = {}) =>
      changes.run(objectId, async () => {
        const record = owned(objectId);
        if (!isCertified(record)) {
          throw new RegistryRefusedError('uncertified', `${objectId} is not certified yet`);
        }
        return extend(record, epochs, after);
      }),

    async setAttributes(objectId, wanted) {
      const { id } = existing(objectId).object;
      return changes.run(id, async () => {
        const record = existing(id);
        const merged = Object.entries({ ...record.attributes, ...wanted });
        const attributes = Object.fromEntries(merged.flatMap(([k, v]) => (v === null ? [] : [[k, v]])));
        await save({ ...record, attributes });
        return attributes;
      });
    },

    delete: (objectId) =>
      changes.run(objectId, async () => {
        const record = existing(objectId);
        const { id, blobId, deletable, storage } = record.object;
        if (record.sharedBlobObject !== undefined) {
          throw new RegistryRefusedError(
            'not-owned',
            `${objectId} is a shared object, which cannot be deleted`,
          );
        }
        if (!deletable) throw new RegistryRefusedError('permanent', `${objectId} is permanent`);
        const spare = record.owned ? { spare: storage } : {};
        await save({ deleted: id, blobId, inEpoch: epochNow(), ...spare });
        return blobId;
      }),

    advanceEpoch: (by) =>
      changes.run(scheduleKey, async () => {
        const next = { ...schedule, epoch: epochNow() + by, startedAtMs: options.now() };
        await save({ epochs: next });
        schedule = next;
        return epochNow();
      }),

    async liveObjects(blobId) {
      return state.objects.liveOf(blobId, epochNow()).flatMap(asCertified);
    },

    async uncertified(blobId) {
      return state.objects.liveOf(blobId, epochNow()).flatMap(asUncertified);
    },

    async spareStorage() {
      const epoch = epochNow();
      return [...state.spares.values()].filter(({ endEpoch }) => endEpoch > epoch);
    },

    async isPromised(blobId) {
      return state.objects.liveOf(blobId, epochNow()).length > 0;
    },

    async hasEnded(blobId) {
      epochNow();
      return state.hasEnded(blobId);
    },

    forgetBlob: (blobId) => state.forgetBlob(blobId),

    async deletedThisEpoch(blobId) {
      return state.wasDeletedIn(blobId, epochNow());
    },

    async find(objectId) {
      const found = state.objects.liveById(objectId, epochNow());
      if (found === undefined || found.record.burnt) return undefined;
      const [certified] = asCertified(found);
      return certified && { ...certified, attributes: found.record.attributes };
    },

    async list({ blobId, ...page }) {
      const epoch = epochNow();
      const { objects } = state;
      const all = blobId === undefined ? objects.values() : objects.liveOf(blobId, epoch);
      const ids = pageOfIds(
        all.map(({ objectId }) => objectId),
        page,
      );
      return ids.flatMap((id) => objects.liveById(id, epoch)?.record ?? []);
    },

    async listBlobIds(page) {
      epochNow();
      return pageOfIds(state.objects.blobIds(), page);
    },

    close: () => journal.close(),
  };
}
