import type { ResidentMemory } from '../rows/resident-rows.ts';
import { createPostings, type Postings, type WordEntry, wordEntry } from './postings.ts';
import { createVectorTable, type VectorTable } from './vector-table.ts';

/** A memory of a resident index. */
export interface Entry extends Pick<ResidentMemory, 'match' | 'state' | 'createdUs'> {
  /** Place in the index; another memory may take it later */
  place: number;
  lengthBucket: number | undefined;
  words: WordEntry;
  /** Slots of its vectors */
  slots: readonly number[];
  /** Ids of the envelopes that it replaces, hex */
  replaces: readonly string[];
}

/** The memories of one namespace with their index data, in memory: what the searches of search-sql.ts read from tables. */
export interface ResidentIndex {
  readonly kind: 'whole';
  readonly postings: Postings;
  /** Undefined as long as there is no vector */
  readonly vectors: VectorTable | undefined;
  /** By time and id, as the namespace's list */
  readonly inOrder: readonly Entry[];
  readonly hasLost: boolean;
  /** Estimated bytes */
  readonly bytes: number;
  has(id: string): boolean;
  byId(id: string): Entry | undefined;
  at(place: number): Entry;
  ofSlot(slot: number): Entry;
  /** The memories that replace one */
  successorsOf(entry: Entry): readonly Entry[];
  /** Position of a memory in `inOrder` */
  positionOf(entry: Entry): number;
  /** Adds a memory or replaces what was known of it; a failed one is removed. */
  put(memory: ResidentMemory): void;
  remove(id: string): void;
}

/** Size of an entry without words and vectors (measured) */
const bytesPerEntry = 1_900;
const envelopeIdBytes = 16;

export function createResidentIndex(): ResidentIndex {
  const entries = new Map<string, Entry>();
  const places: (Entry | undefined)[] = [];
  const freePlaces: number[] = [];
  const owners: (Entry | undefined)[] = [];
  const inOrder: Entry[] = [];
  const successors = new Map<string, Entry[]>();
  const postings = createPostings();
  let vectors: VectorTable | undefined;
  let lost = 0;

  function addVectors(sent: Buffer | undefined): readonly number[] {
    if (!sent) return [];
    vectors ??= createVectorTable(sent.readUInt16BE(0));
    return vectors.add(sent);
  }

  function remove(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    places[entry.place] = undefined;
    freePlaces.push(entry.place);
    postings.remove(entry.place, entry.words);
    for (const slot of entry.slots) {
      vectors!.remove(slot);
      owners[slot] = undefined;
    }
    inOrder.splice(firstAt(inOrder, entry), 1);
    for (const envelope of entry.replaces) {
      const left = successors.get(envelope)!.filter((each) => each !== entry);
      if (left.length > 0) successors.set(envelope, left);
      else successors.delete(envelope);
    }
    if (entry.state === 'lost') lost -= 1;
  }

  return {
    kind: 'whole',
    postings,
    inOrder,
    get vectors() {
      return vectors;
    },
    get hasLost() {
      return lost > 0;
    },
    get bytes() {
      return entries.size * bytesPerEntry + postings.bytes + (vectors?.bytes ?? 0);
    },
    has: (id) => entries.has(id),
    byId: (id) => entries.get(id),
    at: (place) => places[place]!,
    ofSlot: (slot) => owners[slot]!,
    successorsOf: ({ match: { envelopeId } }) =>
      (envelopeId && successors.get(envelopeId.toString('hex'))) ?? [],
    positionOf: (entry) => firstAt(inOrder, entry),
    put(memory) {
      remove(memory.match.id);
      if (memory.state === 'failed') return;
      const { match, state, createdUs, lengthBucket } = memory;
      const entry: Entry = {
        match,
        state,
        createdUs,
        lengthBucket,
        place: freePlaces.pop() ?? places.length,
        words: wordEntry(memory.tokens, memory.tokensTwice, memory.tokensOften),
        slots: addVectors(memory.vectors),
        replaces: envelopeIds(memory.replaces),
      };
      entries.set(match.id, entry);
      places[entry.place] = entry;
      postings.add(entry.place, entry.words);
      for (const slot of entry.slots) owners[slot] = entry;
      inOrder.splice(firstAt(inOrder, entry), 0, entry);
      for (const envelope of entry.replaces)
        successors.set(envelope, [...(successors.get(envelope) ?? []), entry]);
      if (state === 'lost') lost += 1;
    },
    remove,
  };
}

/** Index of the first memory that does not come before this one. */
function firstAt(inOrder: readonly Entry[], { createdUs, match: { id } }: Entry): number {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = inOrder[middle]!;
    if (other.createdUs < createdUs || (other.createdUs === createdUs && other.match.id < id))
      low = middle + 1;
    else high = middle;
  }
  return low;
}

function envelopeIds(sent: Buffer | undefined): string[] {
  const ids: string[] = [];
  for (let at = 0; at < (sent?.length ?? 0); at += envelopeIdBytes)
    ids.push(sent!.toString('hex', at, at + envelopeIdBytes));
  return ids;
}
