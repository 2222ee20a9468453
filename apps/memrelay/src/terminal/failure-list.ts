import type { Output } from './output.ts';

const shown = 20;

/** Prints the first 20 failures, one per line, and the number of further ones. */
export function printFailures(output: Output, failures: readonly { name: string; reason: string }[]): void {
  for (const { name, reason } of failures.slice(0, shown)) output.line(`  ${name}: ${reason}`);
  if (failures.length > shown) output.line(`  … and ${failures.length - shown} more (--json lists all)`);
}
