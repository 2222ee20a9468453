import type { Result } from './run-row.ts';

const marks = { holds: '✓', fails: '✗', skipped: '–' } as const;

/** One line for a row, followed by the reason if it failed. */
export function lineOf({ row, outcome, reason }: Result): string {
  const origin = row.only === undefined ? '' : ` [${row.only}]`;
  const line = `  ${marks[outcome]} ${row.name}${origin}`;
  if (outcome === 'fails') return `${line}\n      ${reason}`;
  return outcome === 'skipped' ? `${line} (${reason})` : line;
}

/** The final counts, with the number of skipped rows by reason. */
export function summaryOf(results: readonly Result[]): string {
  const count = (outcome: Result['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const skipped = Map.groupBy(
    results.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason = '' }) => reason,
  );
  const reasons = [...skipped].map(([reason, { length }]) => `  – ${length} skipped: ${reason}`);
  const counts = `${count('holds')} hold, ${count('fails')} fail, ${count('skipped')} skipped`;
  return ['', ...reasons, `${results.length} rows: ${counts}`].join('\n');
}
