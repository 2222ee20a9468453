import type { Outcomes } from './measure.ts';
import { bootstrapped, type Interval } from './own-sets.ts';

/** What the context fields (session, speaker, date) add to the evidence among the first ten. */

/** Each is a mean over questions with its 95 % bootstrap interval. */
export interface FieldGain {
  ranking: string;
  frac10: Interval;
  /** Difference to the same ranking without fields, per question */
  gain: Interval;
}

/** Gains of every ranking with fields over the one without, in the order of the rankings. */
export function fieldGains(outcomes: Outcomes): FieldGain[] {
  return [...outcomes].flatMap(([ranking, withFields]) => {
    const [plain] = ranking.split(', with ');
    const without = outcomes.get(plain!);
    if (plain === ranking || !without) return [];
    const shares = withFields.map(shareOfTen);
    const gains = shares.map((share, i) => share - shareOfTen(without[i]!));
    return [{ ranking, frac10: bootstrapped(shares), gain: bootstrapped(gains) }];
  });
}

function shareOfTen({ ranks, evidence }: { ranks: readonly number[]; evidence: number }): number {
  return ranks.filter((rank) => rank <= 10).length / evidence;
}

export function printFieldGains(gains: readonly FieldGain[]): void {
  console.log('\ncontext fields, turns: share among the first 10, and gain, with 95 % intervals\n');
  const listed = ({ mean, low, high }: Interval, sign = ''): string =>
    `${mean > 0 ? sign : ''}${mean.toFixed(3)} [${low.toFixed(3)} ${high.toFixed(3)}]`;
  const width = Math.max(...gains.map(({ ranking }) => ranking.length));
  for (const { ranking, frac10, gain } of gains)
    console.log(`${ranking.padEnd(width)}  ${listed(frac10)}  ${listed(gain, '+')}`);
}
