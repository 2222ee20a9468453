import { b, k1, lengthOf, termWeight } from '@memrelay/text-index/bm25';
import { searchedTerms } from '@memrelay/text-index/question';
import type { Adjacent } from '../rows/context-rows.ts';
import type { Match } from '../rows/match.ts';
import {
  leastCandidates,
  type NamespaceSize,
  postingsRead,
  type SearchQuery,
  type SearchResult,
  shortlists,
} from '../rows/search-rows.ts';
import { asStored } from './half-floats.ts';
import { placeOf, timesAt, timesOf, tokenNumber } from './postings.ts';
import type { Entry, ResidentIndex } from './resident-index.ts';

/**
 * The searches of search-sql.ts and context-rows.ts over a resident index. They find the same memories, with one
 * difference: the number of texts with a common term is exact here, and estimated there.
 */

const isVisible = ({ state }: Pick<Entry, 'state'>, includePending: boolean): boolean =>
  state === 'done' || (includePending && state === 'pending');

export function searchResident(
  index: ResidentIndex,
  asked: SearchQuery,
  size: Pick<NamespaceSize, 'texts' | 'meanLength'>,
): SearchResult {
  const query = { ...asked, vector: asStored(asked.vector) };
  const { terms } = query.question;
  const holders = holdersOf(index, query);
  const candidates = terms.length > 0 ? Math.max(query.limit, leastCandidates) : query.limit;
  const near = nearest(index, query, candidates);
  const found = terms.length > 0 ? byWords(index, query, holders, size, candidates) : [];
  const isNear = new Set(near.map(({ entry }) => entry));
  const others = found.filter((entry) => !isNear.has(entry));
  const distances = distancesOf(index, query, others);
  const matches = [
    ...near.map(({ entry, distance }) => matchOf(index, query, holders, entry, distance, true)),
    ...others.map((entry, i) => matchOf(index, query, holders, entry, distances[i], false)),
  ];
  return {
    matches: matches.sort(byDistance),
    documents: terms.length > 0 ? holders.map(({ length }) => length) : [],
    mayHaveLost: index.hasLost,
  };
}

const byDistance = (x: { distance: number; id: string }, y: { distance: number; id: string }): number =>
  x.distance - y.distance || (x.id < y.id ? -1 : 1);

/** For each token of the question, the memories that contain it. */
function holdersOf({ postings }: ResidentIndex, { question }: SearchQuery): (readonly number[])[] {
  return searchedTerms(question).map((token) => postings.holders(tokenNumber(token)));
}

/** The memories with the nearest vectors. A long memory counts by its best chunk. */
function nearest(
  index: ResidentIndex,
  { vector, limit, includePending }: SearchQuery,
  candidates: number,
): { entry: Entry; distance: number }[] {
  const { vectors } = index;
  if (!vectors) return [];
  const allowed = (slot: number): boolean => isVisible(index.ofSlot(slot), includePending);
  let near: { entry: Entry; distance: number }[] = [];
  for (const rows of [...shortlists(limit), vectors.size]) {
    const best = new Map<Entry, number>();
    const slots = vectors.shortlist(vector, rows, allowed);
    const distances = vectors.distances(slots, vector);
    for (const [i, slot] of slots.entries()) {
      const entry = index.ofSlot(slot);
      best.set(entry, Math.min(distances[i]!, best.get(entry) ?? Number.POSITIVE_INFINITY));
    }
    near = [...best].map(([entry, distance]) => ({ entry, distance }));
    // Unless the chunks of a few long memories have filled the list
    if (near.length >= limit || rows >= vectors.size) break;
  }
  return near
    .map(({ entry, distance }) => ({ entry, distance, id: entry.match.id }))
    .sort(byDistance)
    .slice(0, candidates);
}

/** The memories that cover most of the question's rare terms (BM25); a related term counts for its own. */
function byWords(
  index: ResidentIndex,
  { question, includePending }: SearchQuery,
  holders: readonly (readonly number[])[],
  size: Pick<NamespaceSize, 'texts' | 'meanLength'>,
  candidates: number,
): Entry[] {
  const standsFor = [
    ...question.terms.keys(),
    ...[...question.forms, ...question.related].map(({ of }) => of),
  ];
  const most = postingsRead(question.terms.length);
  const scores = new Map<number, Map<number, number>>();
  for (const [i, list] of holders.entries()) {
    if (list.length >= most) continue;
    const weight = termWeight(size, list.length);
    const of = standsFor[i]!;
    for (const holder of list) {
      const entry = index.at(placeOf(holder));
      if (!isVisible(entry, includePending)) continue;
      const dampened = k1 * (1 - b + (b * lengthOf(entry.lengthBucket ?? 0)) / size.meanLength);
      const score = weight / (1 + dampened / timesOf(holder));
      const byTerm = scores.get(entry.place) ?? new Map<number, number>();
      scores.set(entry.place, byTerm);
      byTerm.set(of, Math.max(score, byTerm.get(of) ?? 0));
    }
  }
  return [...scores]
    .map(([place, byTerm]) => ({ entry: index.at(place), score: sum(byTerm.values()) }))
    .sort((x, y) => y.score - x.score || (x.entry.match.id < y.entry.match.id ? -1 : 1))
    .slice(0, candidates)
    .map(({ entry }) => entry);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The smallest distance of the vectors of each memory; undefined without one */
function distancesOf(
  { vectors }: ResidentIndex,
  { vector }: SearchQuery,
  entries: readonly Entry[],
): (number | undefined)[] {
  const all = vectors?.distances(
    entries.flatMap(({ slots }) => slots),
    vector,
  );
  let first = 0;
  return entries.map(({ slots: { length } }) => {
    const own = all?.subarray(first, first + length);
    first += length;
    return length > 0 ? own?.reduce((least, distance) => Math.min(least, distance)) : undefined;
  });
}

/** `distance`: undefined for a memory without a vector of the model, which then has that of an unrelated text. */
function matchOf(
  index: ResidentIndex,
  { includePending }: SearchQuery,
  holders: readonly (readonly number[])[],
  entry: Entry,
  distance: number | undefined,
  near: boolean,
): Match {
  return {
    ...entry.match,
    state: entry.state as Match['state'],
    distance: Math.max(0, distance ?? 1),
    near,
    ...(distance === undefined ? { stale: true as const } : {}),
    ...(holders.length > 0
      ? {
          words: {
            steps: holders.map((list) => timesAt(list, entry.place)),
            lengthBucket: entry.lengthBucket ?? 0,
          },
        }
      : {}),
    supersededBy: newest(index.successorsOf(entry).filter((each) => isVisible(each, includePending)))?.match
      .id,
  };
}

function newest(entries: readonly Entry[]): Entry | undefined {
  return entries.reduce<Entry | undefined>(
    (last, each) => (last && last.createdUs >= each.createdUs ? last : each),
    undefined,
  );
}

/** Memories that were stored further apart than this do not belong together (context-rows.ts). */
const gapUs = 30 * 60 * 1_000_000;

/** As `readAdjacent`. */
export function adjacentResident(
  index: ResidentIndex,
  asked: SearchQuery,
  ids: readonly string[],
  known: ReadonlySet<string>,
): Adjacent[] {
  const query = { ...asked, vector: asStored(asked.vector) };
  const holders = holdersOf(index, query);
  const adjacent = new Map<Entry, { index: number; steps: number }[]>();
  for (const [i, id] of ids.entries()) {
    const anchor = index.byId(id);
    if (!anchor) continue;
    const position = index.positionOf(anchor);
    for (const side of [-1, 1])
      for (const steps of [1, 2]) {
        const entry = index.inOrder[position + side * steps];
        if (!entry || Math.abs(entry.createdUs - anchor.createdUs) > gapUs) break;
        adjacent.set(entry, [...(adjacent.get(entry) ?? []), { index: i, steps }]);
      }
  }
  const returned = [...adjacent.keys()].filter(
    (entry) => !known.has(entry.match.id) && isVisible(entry, query.includePending),
  );
  const distances = distancesOf(index, query, returned);
  const matches = new Map(
    returned.map((entry, i) => [entry, matchOf(index, query, holders, entry, distances[i], false)]),
  );
  return [...adjacent].map(([entry, of]) => ({ id: entry.match.id, of, match: matches.get(entry) }));
}
