import type { Tarballs } from './tarballs.ts';

export interface CaseResult {
  name: string;
  /** `unreachable`: a tool could not be fetched from the registry, so nothing is known */
  status: 'passed' | 'failed' | 'unreachable';
  /** The measurement, or the reason for the failure */
  remark: string;
  seconds: number;
}

const kib = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} KiB`;

/** The tables of results and sizes, with the line that counts them last. */
export function summaryOf(results: readonly CaseResult[], tarballs: Tarballs, seconds: number): string {
  const cases = results.map(({ name, status, remark, seconds: own }) => [
    status,
    name,
    `${own.toFixed(1)} s`,
    remark.split('\n')[0]!.slice(0, 100),
  ]);
  const sizes = [...tarballs.values()].map(({ name, bytes, unpackedBytes }) => [
    name,
    kib(bytes),
    kib(unpackedBytes),
  ]);
  const count = (status: CaseResult['status']): number =>
    results.filter((each) => each.status === status).length;
  const failures = results
    .filter(({ status }) => status === 'failed')
    .map(({ name, remark }) => `\n${name}:\n${remark}\n`);
  return [
    ...failures,
    '',
    table(['result', 'case', 'time', ''], cases),
    '',
    table(['package', 'tarball', 'unpacked'], sizes),
    '',
    `${count('passed')} passed, ${count('failed')} failed, ${count('unreachable')} not reachable here (${Math.round(seconds)} s)`,
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
