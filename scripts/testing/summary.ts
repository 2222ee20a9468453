import type { SuiteResult } from './suite-result.ts';

/** A table of the suites, what failed, and a closing line with the totals. */
export function summarize(suites: readonly SuiteResult[], notes: readonly string[]): string {
  const width = Math.max(...suites.map(({ name }) => name.length), 'suite'.length) + 2;
  const row = (name: string, ...cells: Array<string | number>) =>
    name.padEnd(width) + cells.map((cell) => String(cell).padStart(9)).join('');
  return [
    row('suite', 'passed', 'failed', 'skipped', 'seconds'),
    ...suites.map(({ name, passed, failed, skipped, seconds }) =>
      row(name, passed, failed, skipped, seconds.toFixed(1)),
    ),
    '',
    ...suites.flatMap(({ name, failures = [] }) =>
      failures.map((failure) => `Failed in ${name}: ${failure}`),
    ),
    ...suites.flatMap(({ name, problem }) => (problem ? [`${name}: ${problem}`] : [])),
    ...notes,
    closingLine(suites),
  ].join('\n');
}

function closingLine(suites: readonly SuiteResult[]): string {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    suites.reduce((total, suite) => total + suite[field], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
