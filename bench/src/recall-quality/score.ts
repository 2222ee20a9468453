/** Results of one ranking for one question, and the measures computed from them. */
export interface Outcome {
  conversation: string;
  question: number;
  category: number;
  evidence: number;
  /** The rank, from 1, of each piece of evidence among the first `depth` results */
  ranks: number[];
}

export const depth = 20;
export const cutoffs = [5, 10, 20] as const;

/** The ranks of the evidence among the first 20. */
export function evidenceRanks(ranking: readonly string[], evidence: ReadonlySet<string>): number[] {
  return ranking.slice(0, depth).flatMap((id, i) => (evidence.has(id) ? [i + 1] : []));
}

export interface Score {
  questions: number;
  /** Mean share of a question's evidence among the first 5, 10 and 20 */
  frac: Record<(typeof cutoffs)[number], number>;
}

export function scoreOf(outcomes: readonly Outcome[]): Score {
  const mean = (cutoff: number): number =>
    outcomes.reduce(
      (sum, { ranks, evidence }) => sum + ranks.filter((rank) => rank <= cutoff).length / evidence,
      0,
    ) / Math.max(1, outcomes.length);
  const round = (value: number): number => Number(value.toFixed(4));
  return {
    questions: outcomes.length,
    frac: { 5: round(mean(5)), 10: round(mean(10)), 20: round(mean(20)) },
  };
}
