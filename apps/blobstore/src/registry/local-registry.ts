import { randomBytes } from 'node:crypto';
import { toBase58 } from '@mysten/sui/utils';
import { encodedLength } from '../encoding/encoded-size.ts';
import {
  type BlobRegistry,
  type LiveObject,
  maxEpochsAhead,
  RegistryUnavailableError,
} from './blob-registry.ts';
import { type EpochSchedule, epochAt } from './epoch-clock.ts';
import { openJournal, readJournal } from './journal.ts';
import { isLive, ObjectIndex } from './object-index.ts';
import { defaultPrices, extensionCost, registrationCost } from './pricing.ts';

export interface LocalRegistryOptions {
  /** Journal file; created when missing */
  path: string;
  nShards: number;
  epochDurationMs: number;
  /** Milliseconds since 1970 */
  now: () => number;
}

type JournalRecord = { epochs: EpochSchedule } | { object: LiveObject };

function newObjectId(): string {
  return `0x${randomBytes(32).toString('hex')}`;
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
 * is rewritten with what is still live.
 */
export async function openLocalRegistry(options: LocalRegistryOptions): Promise<BlobRegistry> {
  const records = await readJournal<JournalRecord>(options.path);
  const schedule = resumeSchedule(records, options);
  const index = new ObjectIndex();
  for (const record of records) if ('object' in record) index.set(record.object);

  let reached = schedule.epoch;
  /** A clock that is set back must not revive what has expired. */
  function epochNow(): number {
    reached = Math.max(reached, epochAt(schedule, options.now()));
    return reached;
  }

  index.prune(epochNow());
  const live = index.values().map((object) => ({ object }));
  const journal = await openJournal<JournalRecord>(options.path, [{ epochs: schedule }, ...live]);

  async function save(entry: LiveObject): Promise<void> {
    try {
      await journal.append({ object: entry });
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
      const storageSize = encodedLength(size, options.nShards);
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
      await save({ object, event, owned: sendObjectTo === undefined });
      return { object, cost: registrationCost(storageSize, epochs, defaultPrices) };
    },

    async extend(objectId, epochs, sendObjectTo) {
      const entry = index.get(objectId);
      if (entry === undefined || !entry.owned || !isLive(entry, epochNow())) {
        throw new Error(`${objectId} is not a live object of this publisher`);
      }
      const { storage } = entry.object;
      const endEpoch = storage.endEpoch + epochs;
      if (endEpoch > epochNow() + maxEpochsAhead) throw new Error('an extension beyond the allowed epochs');
      const object = { ...entry.object, storage: { ...storage, endEpoch } };
      await save({ ...entry, object, owned: sendObjectTo === undefined });
      return { object, cost: extensionCost(storage.storageSize, epochs, defaultPrices) };
    },

    async liveObjects(blobId) {
      return index.liveOf(blobId, epochNow());
    },

    async find(objectId) {
      const entry = index.get(objectId);
      return entry !== undefined && isLive(entry, epochNow()) ? entry : undefined;
    },

    close: () => journal.close(),
  };
}
