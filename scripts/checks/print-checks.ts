import type { CheckResult } from './run-checks.ts';

/** Prints one line per check, and below a failed one the findings. */
export function printChecks(results: readonly CheckResult[]): void {
  for (const { name, passed, report, seconds } of results) {
    console.log(`${passed ? '✓' : '✗'} ${name.padEnd(22)} ${seconds.toFixed(1)} s`);
    if (!passed) console.log(`${report.replace(/^/gm, '    ')}\n`);
  }
}
