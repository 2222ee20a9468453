import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import { createGrowingCache } from '../../base/growing-cache.ts';
import type { CountLookup } from '../../base/metrics/metrics.ts';
import {
  deletionsKeptMs,
  onlyCodes,
  type ResidentPlace,
  type ResidentReads,
  readChanges,
  readResident,
  wholeMemories,
} from '../rows/resident-rows.ts';
import { type CodeIndex, createCodeIndex } from './code-index.ts';
import { createResidentIndex, type ResidentIndex } from './resident-index.ts';

export type AnyIndex = ResidentIndex | CodeIndex;

/** Indexes of the namespaces that are searched often, in this process's memory. */
export interface ResidentIndexes {
  /**
   * The index of a namespace with everything that was committed before the call; undefined if it is not in memory. A namespace
   * that is searched repeatedly is loaded in the background. `texts`: about how many it has. Throws `database_unavailable`.
   */
  current(place: ResidentPlace, texts: number): Promise<AnyIndex | undefined>;
  /** Ends loading */
  close(): Promise<void>;
}

/** An index that is kept up to date. */
interface Kept {
  index: AnyIndex;
  /** Reads what has changed since `horizon` and applies it; undefined if the index has to be read again */
  update(): Promise<{ changed: boolean } | undefined>;
  /** When it was last known to be complete */
  at: number;
  /** Reading changes now */
  running?: Promise<boolean> | undefined;
  /** Will read them after that, so it also sees what was committed in the meantime */
  next?: Promise<boolean> | undefined;
}

/** Of a larger namespace only the sign bits are kept. */
const mostWhole = 20_000;
/** A larger namespace would take too long to load, and to compare on one thread (50 ns for each). */
const mostMemories = 500_000;
/** Loading pays off after a few searches: more for a larger namespace. They count if they are at most this far apart. */
const leastSearches = 2;
const textsPerSearch = 1_000;
const countedMs = 5 * 60_000;
/** What a memory with a vector of 1536 dimensions takes, before it is loaded (measured) */
const bytesPerMemory = { whole: 5_600, codes: 470 } as const;

const keyOf = ({ accountId, namespace, model }: ResidentPlace): string =>
  `${accountId.toString('base64')}/${model}/${namespace}`;

interface ResidentOptions {
  /** For all indexes together; 0 keeps none */
  maxBytes: number;
  /** Namespaces with more texts are kept as sign bits alone. Default: 20,000 */
  wholeUpTo?: number;
  logger: Pick<Logger, 'warn'>;
  countLookup: CountLookup;
}

export function createResidentIndexes(
  db: Db,
  { maxBytes, wholeUpTo = mostWhole, logger, countLookup }: ResidentOptions,
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

  const kindFor = (texts: number): AnyIndex['kind'] => (texts > wholeUpTo ? 'codes' : 'whole');

  async function update(key: string, entry: Kept): Promise<boolean> {
    const at = Date.now();
    const updated = await entry.update();
    if (!updated) {
      if (kept.peek(key) === entry) kept.delete(key);
      return false;
    }
    entry.at = at;
    if (updated.changed && kept.peek(key) === entry) {
      // Only a new entry is measured
      kept.delete(key);
      kept.set(key, entry);
    }
    return true;
  }

  /** Joins an update only if that one has not begun: one that runs may have missed what was just committed. */
  function updated(key: string, entry: Kept): Promise<boolean> {
    const begin = (): Promise<boolean> => {
      const run = update(key, entry).finally(() => {
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

  async function load(key: string, place: ResidentPlace, kind: AnyIndex['kind']): Promise<void> {
    const entry = await (kind === 'codes'
      ? readIndex(place, createCodeIndex(), onlyCodes)
      : readIndex(place, createResidentIndex(), wholeMemories));
    if (entry && (await update(key, entry))) kept.set(key, entry);
  }

  /** Undefined if it has become too large */
  async function readIndex<Memory, Row extends { id: string }>(
    place: ResidentPlace,
    index: AnyIndex & { put(memory: Memory): void },
    reads: ResidentReads<Memory, Row>,
  ): Promise<Kept | undefined> {
    const most = index.kind === 'codes' ? mostMemories : mostWhole;
    let memories = 0;
    const at = Date.now();
    let horizon = await readResident(db, place, reads, (page) => {
      for (const memory of page) index.put(memory);
      memories += page.length;
      return !closed && memories <= most && index.bytes <= maxBytes;
    });
    if (horizon === undefined) return undefined;
    return {
      index,
      at,
      async update() {
        const changes = await readChanges(db, place, reads, horizon!);
        if (!changes) return undefined;
        for (const id of changes.deleted) index.remove(id);
        for (const memory of changes.changed) index.put(memory);
        horizon = changes.horizon;
        return { changed: changes.changed.length > 0 };
      },
    };
  }

  /** Loading one namespace in place of another that is used as often would cost more than it saves. */
  function hasRoom(texts: number): boolean {
    if (kept.calculatedSize + texts * bytesPerMemory[kindFor(texts)] <= maxBytes) return true;
    const [leastRecent] = kept.rvalues();
    return leastRecent !== undefined && Date.now() - leastRecent.at > countedMs;
  }

  function consider(key: string, place: ResidentPlace, texts: number): void {
    const count = (searches.get(key) ?? 0) + 1;
    searches.set(key, count);
    const isDue = count >= leastSearches + texts / textsPerSearch && !loading.has(key);
    if (closed || !isDue || texts > mostMemories || !hasRoom(texts)) return;
    searches.delete(key);
    const work = oneAtATime(() => load(key, place, kindFor(texts)))
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
      const found = isUsable && (await updated(key, entry)) ? entry.index : undefined;
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
