import { randomBytes } from 'node:crypto';
import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import { toBase58 } from '@mysten/sui/utils';
import {
  type BlobObject,
  type BlobRegistry,
  type CertifiedObject,
  type EventId,
  maxEpochsAhead,
  RegistryUnavailableError,
} from './blob-registry.ts';
import { type EpochSchedule, epochAt } from './epoch-clock.ts';
import { openJournal, readJournal } from './journal.ts';
import { ObjectIndex } from './object-index.ts';
import { defaultPrices, extensionCost, registrationCost } from './pricing.ts';

export interface LocalRegistryOptions {
  /** Journal file */
  path: string;
  /** Whether the journal is to be created; otherwise a missing or empty one is an error */
  isNew: boolean;
  nShards: number;
  epochDurationMs: number;
  /** Milliseconds since 1970 */
  now: () => number;
}

/** The object whole, with what follows from it, the publisher's ownership and the event. */
interface LocalObject extends CertifiedObject {
  object: BlobObject;
}

type JournalRecord = { epochs: EpochSchedule } | { object: BlobObject; event: EventId; owned: boolean };

function toLocalObject(object: BlobObject, event: EventId, owned: boolean): LocalObject {
  const { id: objectId, blobId, deletable, storage } = object;
  return { objectId, blobId, endEpoch: storage.endEpoch, deletable, event, owned, object };
}

function newObjectId(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

function toRecord({ object, event, owned }: LocalObject): JournalRecord {
  return { object, event, owned };
}

/**
 * The schedule to go on with. Another duration starts a schedule of its own at the present epoch, so that what
 * was stored before keeps its number of epochs; epochs never go back.
 */
function resumeSchedule(records: JournalRecord[], options: LocalRegistryOptions): EpochSchedule {
  const previous = records.flatMap((record) => ('epochs' in record ? record.epochs : [])).at(-1);
  const startedAtMs = options.now();
  const durationMs = options.epochDurationMs;
  if (previous === undefined) return { epoch: 1, startedAtMs, durationMs };
  if (previous.durationMs === durationMs) return previous;
  return { epoch: epochAt(previous, startedAtMs), startedAtMs, durationMs };
}

/**
 * A registry without a chain: objects with random ids in a journal, epochs by the clock. At boot the journal
 * is rewritten with what is still live. Throws a plain error when the journal is lost or damaged.
 */
export async function openLocalRegistry(options: LocalRegistryOptions): Promise<BlobRegistry> {
  const records = await readJournal<JournalRecord>(options.path);
  if (records.length === 0 && !options.isNew) {
    throw new Error(
      `${options.path} is missing or empty, although there are blobs: restore it from a backup`,
    );
  }
  const schedule = resumeSchedule(records, options);
  const index = new ObjectIndex<LocalObject>();
  for (const record of records) {
    if ('object' in record) index.set(toLocalObject(record.object, record.event, record.owned));
  }

  let reached = schedule.epoch;
  /** A clock that is set back must not revive what has expired. */
  function epochNow(): number {
    const epoch = epochAt(schedule, options.now());
    if (epoch > reached) {
      reached = epoch;
      index.prune(reached);
    }
    return reached;
  }

  index.prune(epochNow());
  const live = index.values().map(toRecord);
  const journal = await openJournal<JournalRecord>(options.path, [{ epochs: schedule }, ...live]);

  async function save(entry: LocalObject): Promise<void> {
    try {
      await journal.append(toRecord(entry));
    } catch (error) {
      throw new RegistryUnavailableError('the registry could not be written', { cause: error });
    }
    index.set(entry);
  }

  return {
    async currentEpoch() {
      return epochNow();
    },

    async store({ blobId, size, epochs, deletable, sendObjectTo }) {
      const epoch = epochNow();
      const storageSize = encodedBlobLength(size, options.nShards);
      const object = {
        id: newObjectId(),
        registeredEpoch: epoch,
        blobId,
        size,
        certifiedEpoch: epoch,
        storage: { id: newObjectId(), startEpoch: epoch, endEpoch: epoch + epochs, storageSize },
        deletable,
      };
      const event = { txDigest: toBase58(randomBytes(32)), eventSeq: '0' };
      await save(toLocalObject(object, event, sendObjectTo === undefined));
      return { object, cost: registrationCost(storageSize, epochs, defaultPrices) };
    },

    async extend(objectId, epochs, sendObjectTo) {
      const entry = index.liveById(objectId, epochNow());
      if (entry?.owned !== true) throw new Error(`${objectId} is not a live object of this publisher`);
      const { storage } = entry.object;
      const endEpoch = storage.endEpoch + epochs;
      if (endEpoch > epochNow() + maxEpochsAhead) throw new Error('an extension beyond the allowed epochs');
      const object = { ...entry.object, storage: { ...storage, endEpoch } };
      await save(toLocalObject(object, entry.event, sendObjectTo === undefined));
      return { object, cost: extensionCost(storage.storageSize, epochs, defaultPrices) };
    },

    async liveObjects(blobId) {
      return index.liveOf(blobId, epochNow());
    },

    async find(objectId) {
      return index.liveById(objectId, epochNow());
    },

    close: () => journal.close(),
  };
}
