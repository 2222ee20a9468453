import type { AccountNamespace, SearchIndex } from '@memrelay/dev-env/search-index';
import { fieldRankings } from './field-weights.ts';
import type { Unit } from './locomo.ts';
import { plainBm25 } from './plain-bm25.ts';
import { depth } from './score.ts';

/** Computes rankings of a question's units, best first, by ranking name. */
export type Rankings = (query: string) => Promise<Record<string, string[]>>;

/** Textbook values first, then others for short texts. */
const plainParameters = [
  { k1: 1.2, b: 0.75 },
  { k1: 1.5, b: 0.75 },
  { k1: 0.9, b: 0.4 },
  { k1: 0.6, b: 0.5 },
] as const;

/** Plain BM25 over the texts. */
export function plainRankings(units: readonly Unit[]): Rankings {
  const each = plainParameters.map((parameters) => ({
    name: `plain BM25, k1 ${parameters.k1}, b ${parameters.b}`,
    rank: plainBm25(units, parameters),
  }));
  return async (query) => Object.fromEntries(each.map(({ name, rank }) => [name, rank(query)]));
}

/** Stores the units, sessions a day apart. Returns the unit's id by the memory's. */
async function addUnits(
  index: SearchIndex,
  place: AccountNamespace,
  units: readonly Unit[],
  contextFields: boolean,
): Promise<ReadonlyMap<string, string>> {
  const unitOf = new Map<string, string>();
  let day = Date.UTC(2023, 0, 1);
  for (const session of sessionsOf(units)) {
    const texts = session.map(({ text }) => text);
    const contexts = session.map(({ context = {} }) => (contextFields ? context : {}));
    const ids = await index.add(place, texts, new Date(day), contexts);
    for (const [i, id] of ids.entries()) unitOf.set(id, session[i]!.id);
    day += 24 * 3600 * 1000;
  }
  return unitOf;
}

/** Our own search: merged, what a recall returns of that, and each of its two searches alone. */
export async function ownRankings(
  index: SearchIndex,
  place: AccountNamespace,
  units: readonly Unit[],
): Promise<Rankings> {
  const unitOf = await addUnits(index, place, units, false);
  return async (query) => {
    const found = await index.search(place, query, depth);
    const by = (leg: 'vector' | 'keywords'): string[] =>
      found
        .flatMap(({ match, explanation }) => {
          const rank = explanation[leg]?.rank;
          return rank === undefined ? [] : [{ id: unitOf.get(match.id)!, rank }];
        })
        .sort((a, b) => a.rank - b.rank)
        .map(({ id }) => id);
    const [vector, words] = [by('vector'), by('keywords')];
    return {
      'vector only': vector,
      'blind BM25 only': words,
      'both by ranks alone (RRF)': reciprocalRanks([vector, words]),
      fused: found.map(({ match }) => unitOf.get(match.id)!),
      'as recall returns it': found
        .filter((each) => index.isHit(each))
        .map(({ match }) => unitOf.get(match.id)!),
    };
  };
}

/** Our own search over units with session, speaker and date, with each of these signals alone and with all. */
export async function rankingsWithFields(
  index: SearchIndex,
  place: AccountNamespace,
  units: readonly Unit[],
): Promise<Rankings> {
  const unitOf = await addUnits(index, place, units, true);
  return async (query) => {
    const rankings: Record<string, string[]> = {};
    for (const [name, fieldWeights] of Object.entries(fieldRankings))
      rankings[name] = (await index.search(place, query, depth, { fieldWeights })).map(
        ({ match }) => unitOf.get(match.id)!,
      );
    return rankings;
  };
}

/** The turns of each session; sessions themselves each alone. */
function sessionsOf(units: readonly Unit[]): Unit[][] {
  const sessions = new Map<string, Unit[]>();
  for (const unit of units) {
    const session = unit.id.split(':')[0]!;
    sessions.set(session, [...(sessions.get(session) ?? []), unit]);
  }
  return [...sessions.values()];
}

/** Reciprocal rank fusion with its usual constant, for comparison: it uses ranks but no scores. */
function reciprocalRanks(rankings: readonly string[][]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [i, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (60 + i + 1));
  return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id);
}
