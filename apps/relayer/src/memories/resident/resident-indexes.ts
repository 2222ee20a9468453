import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import { createGrowingCache } from '../../base/growing-cache.ts';
import type { CountLookup } from '../../base/metrics/metrics.ts';
import { deletionsKeptMs, type ResidentPlace, readChanges, readResident } from '../rows/resident-rows.ts';
import { createResidentIndex, type ResidentIndex } from './resident-index.ts';

/** Indexes of the namespaces that are searched often, in this process's memory. */
export interface ResidentIndexes {
  /**
   * The index of a namespace with everything that was committed before the call; undefined if it is not in memory. A namespace
   * that is searched repeatedly is loaded in the background. `texts`: about how many it has. Throws `database_unavailable`.
   */
  current(place: ResidentPlace, texts: number): Promise<ResidentIndex | undefined>;
  /** Ends loading */
  close(): Promise<void>;
}

/** An index that is kept up to date. */
interface Kept {
  index: ResidentIndex;
  horizon: bigint;
  /** When it was last known to be complete */
  at: number;
  /** Reading changes now */
  running?: Promise<boolean> | undefined;
  /** Will read them after that, so it also sees what was committed in the meantime */
  next?: Promise<boolean> | undefined;
}

/** A larger namespace would take too long to load and too much of the memory. */
const mostMemories = 20_000;
/** Loading pays off after a few searches: more for a larger namespace. They count if they are at most this far apart. */
const leastSearches = 2;
const textsPerSearch = 1_000;
const countedMs = 5 * 60_000;
/** What a memory with a vector of 1536 dimensions takes, before it is loaded (measured) */
const bytesPerMemory = 5_600;

const keyOf = ({ accountId, namespace, model }: ResidentPlace): string =>
  `${accountId.toString('base64')}/${model}/${namespace}`;

/** `maxBytes`: for all indexes together; 0 keeps none. */
export function createResidentIndexes(
  db: Db,
  {
    maxBytes,
    logger,
    countLookup,
  }: { maxBytes: number; logger: Pick<Logger, 'warn'>; countLookup: CountLookup },
): ResidentIndexes {
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ index }) => Math.max(1, index.bytes),
  });
  /** Number of recent searches of namespaces that are not in memory */
  const searches = createGrowingCache<number>(50_000, countedMs);
  const loading = new Map<string, Promise<void>>();
  const oneAtATime = pLimit(1);
  let closed = false;

  async function update(key: string, place: ResidentPlace, entry: Kept): Promise<boolean> {
    const at = Date.now();
    const changes = await readChanges(db, place, entry.horizon);
    if (!changes) {
      if (kept.peek(key) === entry) kept.delete(key);
      return false;
    }
    for (const id of changes.deleted) entry.index.remove(id);
    for (const memory of changes.changed) entry.index.put(memory);
    entry.horizon = changes.horizon;
    entry.at = at;
    if (changes.changed.length > 0 && kept.peek(key) === entry) {
      // Only a new entry is measured
      kept.delete(key);
      kept.set(key, entry);
    }
    return true;
  }

  /** Joins an update only if that one has not begun: one that runs may have missed what was just committed. */
  function updated(key: string, place: ResidentPlace, entry: Kept): Promise<boolean> {
    const begin = (): Promise<boolean> => {
      const run = update(key, place, entry).finally(() => {
        if (entry.running === run) entry.running = undefined;
      });
      entry.running = run;
      return run;
    };
    if (entry.next) return entry.next;
    if (!entry.running) return begin();
    const next = entry.running
      .catch(() => undefined)
      .then(() => {
        entry.next = undefined;
        return begin();
      });
    entry.next = next;
    return next;
  }

  async function load(key: string, place: ResidentPlace): Promise<void> {
    const index = createResidentIndex();
    let memories = 0;
    const begun = Date.now();
    const horizon = await readResident(db, place, (page) => {
      for (const memory of page) index.put(memory);
      memories += page.length;
      return !closed && memories <= mostMemories && index.bytes <= maxBytes;
    });
    if (horizon === undefined) return;
    const entry: Kept = { index, horizon, at: begun };
    if (await update(key, place, entry)) kept.set(key, entry);
  }

  /** Loading one namespace in place of another that is used as often would cost more than it saves. */
  function hasRoom(texts: number): boolean {
    if (kept.calculatedSize + texts * bytesPerMemory <= maxBytes) return true;
    const [leastRecent] = kept.rvalues();
    return leastRecent !== undefined && Date.now() - leastRecent.at > countedMs;
  }

  function consider(key: string, place: ResidentPlace, texts: number): void {
    const count = (searches.get(key) ?? 0) + 1;
    searches.set(key, count);
    const isDue = count >= leastSearches + texts / textsPerSearch && !loading.has(key);
    if (closed || !isDue || texts > mostMemories || !hasRoom(texts)) return;
    searches.delete(key);
    const work = oneAtATime(() => load(key, place))
      .catch((err: unknown) => logger.warn({ err }, 'cannot load the index of a namespace'))
      .finally(() => loading.delete(key));
    loading.set(key, work);
  }

  return {
    async current(place, texts) {
      if (maxBytes === 0) return undefined;
      const key = keyOf(place);
      const entry = kept.get(key);
      const isUsable = entry !== undefined && Date.now() - entry.at < deletionsKeptMs / 2;
      if (entry && !isUsable) kept.delete(key);
      const found = isUsable && (await updated(key, place, entry)) ? entry.index : undefined;
      countLookup(found !== undefined);
      if (!found) consider(key, place, texts);
      return found;
    },
    async close() {
      closed = true;
      await Promise.all(loading.values());
    },
  };
}
