/**
 * The relevance of a hit as people and agents see it: larger is better, three decimals. It is the relayer's `score`, which
 * it returns when it is asked to explain, else the similarity, 1 − `distance`.
 */
export function shownScore({ score, distance }: { score?: number | undefined; distance: number }): number {
  return Math.round((score ?? 1 - distance) * 1000) / 1000;
}
