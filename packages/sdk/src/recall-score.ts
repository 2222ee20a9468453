/**
 * The relevance of a hit as shown to people and agents: higher is better, three decimals. It is the relayer's `score`, which
 * is returned with `explain`, else the similarity, 1 − `distance`.
 */
export function shownScore({ score, distance }: { score?: number | undefined; distance: number }): number {
  return Math.round((score ?? 1 - distance) * 1000) / 1000;
}
