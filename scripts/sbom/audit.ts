/** What a dependency audit has found. `unanswered`: the registry did not say, which is not the same as nothing found. */
export type AuditResult =
  | { state: 'clean' }
  | { state: 'vulnerable'; advisories: string[] }
  | { state: 'unanswered'; reason: string };

/** Severities that make a release fail. */
const grave: ReadonlySet<string> = new Set(['high', 'critical']);

/** Reads the output of `npm audit --json`, whatever its exit code was. */
export function readAudit(output: string): AuditResult {
  let answer: Audit;
  try {
    answer = JSON.parse(output) as Audit;
  } catch {
    return { state: 'unanswered', reason: 'npm audit printed no JSON' };
  }
  if (answer.vulnerabilities === undefined)
    return {
      state: 'unanswered',
      reason: answer.message ?? answer.error?.summary ?? 'the answer has no list of vulnerabilities',
    };
  const advisories = Object.entries(answer.vulnerabilities)
    .filter(([, { severity }]) => grave.has(severity))
    .map(([name, { severity, range }]) => `${name} ${range} (${severity})`)
    .sort();
  return advisories.length > 0 ? { state: 'vulnerable', advisories } : { state: 'clean' };
}

interface Audit {
  message?: string;
  error?: { summary?: string };
  vulnerabilities?: Record<string, { severity: string; range: string }>;
}
