import type { Adjacent, Cohesion } from '../rows/context-rows.ts';
import type { SearchQuery } from '../rows/search-rows.ts';
import type { Fused, Relevance } from './fusion.ts';
import type { NamespaceSearch } from './namespace-search.ts';

/**
 * Context: what was stored right before and after a memory belongs to it, as in a conversation, where the answer to a
 * question often shares no word with it. A memory gets a part of the relevance of those adjacent to it.
 */

/** Parts of the relevance of memories that are one and two apart (bench/README.md) */
const parts = [0.4, 0.2] as const;
/** Number of best memories whose surroundings are read */
const anchors = 20;

/**
 * Adds context to the relevance of memories that were found, and the memories adjacent to them. `mayLead`: whether a memory
 * really matches, so that adjacent ones may become hits too. `weight` multiplies the parts; 0 returns `fused.found`.
 */
export async function withContext(
  searched: Pick<NamespaceSearch, 'adjacent'>,
  query: SearchQuery,
  fused: Fused,
  mayLead: (relevance: Relevance) => boolean,
  weight: number,
): Promise<Relevance[]> {
  const leading = fused.found.filter(mayLead).slice(0, anchors);
  if (weight === 0 || leading.length === 0) return fused.found;
  const known = new Map(fused.found.map((relevance) => [relevance.match.id, relevance]));
  const adjacent = await searched.adjacent(
    query,
    leading.map(({ match }) => match.id),
    [...known.keys()],
  );
  return addContext(fused, leading, adjacent, weight);
}

/** `adjacent` names the memories next to those of `leading`, by their index. Best first. */
export function addContext(
  { found, relevanceOf, scoreOf }: Fused,
  leading: readonly Relevance[],
  adjacent: readonly Adjacent[],
  weight: number,
): Relevance[] {
  const all = new Map(found.map((relevance) => [relevance.match.id, relevance]));
  for (const { id, match } of adjacent) if (match) all.set(id, relevanceOf(match));
  const added = new Map<string, number>();
  const add = (to: string, from: string, steps: number): void => {
    const share = (all.get(from)?.share ?? 0) * weight * (parts[steps - 1] ?? 0);
    if (share > 0) added.set(to, (added.get(to) ?? 0) + share);
  };
  const isLeading = new Set(leading.map(({ match }) => match.id));
  for (const { id, of } of adjacent)
    for (const { index, steps } of of) {
      const anchor = leading[index]!.match.id;
      add(anchor, id, steps);
      // Between two anchors, the other's own surroundings say the same
      if (!isLeading.has(id)) add(id, anchor, steps);
    }
  const summed = [...all.values()].map((relevance) => ({
    relevance,
    context: added.get(relevance.match.id) ?? 0,
  }));
  const highest = Math.max(1, ...summed.map(({ relevance, context }) => relevance.share + context));
  return summed
    .map(({ relevance, context }): Relevance => {
      const share = (relevance.share + context) / highest;
      return {
        ...relevance,
        share,
        score: scoreOf(share),
        explanation:
          context > 0
            ? { ...relevance.explanation, context: context / (relevance.share + context) }
            : relevance.explanation,
      };
    })
    .sort((a, b) => b.score - a.score);
}

/** Fewer pairs do not show whether memories belong together */
export const leastPairs = 40;
/** Standard errors by which the similarity of adjacent memories must exceed that of others */
const sureErrors = 3;

/** Whether memories that were stored one after the other belong together, as the turns of a conversation do. */
export function isCohesive({ near, far }: Cohesion): boolean {
  if (near.pairs < leastPairs || far.pairs < leastPairs) return false;
  const error = Math.sqrt(near.variance / near.pairs + far.variance / far.pairs);
  return near.mean - far.mean > sureErrors * error;
}
