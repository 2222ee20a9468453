import type { FaultResult } from './fault-result.ts';

export const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** One line after each round. */
export function progressLine(result: FaultResult): string {
  const { injected, missed, findings } = result;
  const { lost, doubled, undead, unlisted, broken } = findings;
  return [
    `${result.seconds} s, round ${result.rounds}: ${total(injected)} faults (${total(missed)} did not occur)`,
    `${result.written} written, ${findings.acknowledged} acknowledged, ${findings.done} done`,
    `${lost.length} lost, ${doubled.length} duplicated, ${undead.length} present after forgetting`,
    `${findings.paidTwice} paid twice, ${unlisted.length} unlisted, ${broken.length} other violations`,
  ].join('; ');
}

/** The summary at the end of a run. */
export function table(result: FaultResult): string {
  const { findings, injected } = result;
  const rows: (readonly [string, number | string])[] = [
    ['seed', result.seed],
    ['seconds', result.seconds],
    ['rounds', result.rounds],
    ['faults injected', total(injected)],
    ...[...injected].sort(([, a], [, b]) => b - a).map(([kind, count]) => [`  ${kind}`, count] as const),
    ['memories written', result.written],
    ['forgotten', result.forgotten],
    ['never acknowledged', result.unacknowledged],
    ['acknowledged and not forgotten', findings.acknowledged],
    ['done', findings.done],
    ['failed with a reason, and done after a retry', findings.failed],
    ['lost', findings.lost.length],
    ['duplicated', findings.doubled.length],
    ['present after they were forgotten', findings.undead.length],
    ['paid twice, found on chain', findings.paidTwice],
    ['paid for and left with the publisher', findings.leftWithPublisher],
    ['  surplus objects that are not listed for deletion', findings.unlisted.length],
    ['canary found', findings.canary.length],
    ['other promises broken', findings.broken.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const problems = [
    ...findings.lost,
    ...findings.doubled,
    ...findings.undead,
    ...findings.unlisted,
    ...findings.canary,
    ...findings.broken,
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}${String(value).padStart(8)}`),
    ...problems.slice(0, 40).map((problem) => `- ${problem}`),
  ].join('\n');
}

const maxFindings = 50;

/** The content of the file in `bench/results/`. */
export function resultFile(result: FaultResult, options: object): string {
  const { findings, injected, missed, errors, ...rest } = result;
  const lists = Object.fromEntries(
    Object.entries(findings).map(([name, value]) => [
      name,
      Array.isArray(value) ? { count: value.length, first: value.slice(0, maxFindings) } : value,
    ]),
  );
  const content = {
    about: 'a load on two relayers while processes are killed, disks fill, clocks jump and providers fail',
    at: new Date().toISOString(),
    ...options,
    ...rest,
    faults: total(injected),
    injected: Object.fromEntries([...injected].sort()),
    didNotComeAbout: Object.fromEntries([...missed].sort()),
    answeredErrors: Object.fromEntries([...errors].sort()),
    findings: lists,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
