import { relative } from 'node:path';

/** The fields of vitest's JSON report that are counted. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: ReadonlyArray<{
    name: string;
    status: string;
    assertionResults: ReadonlyArray<{
      status: string;
      fullName: string;
      failureMessages?: readonly string[];
    }>;
  }>;
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Each failed test: its file, its name and the first line of its error */
  failures: string[];
  problem?: string;
}

/**
 * Counts a vitest run so that no problem is missed: a file that fails without a failed test (it did not load, a hook
 * threw) counts as one, and so do uncaught errors, a missing report, and no test at all.
 */
export function countTests(report: VitestReport | undefined, exitCode: number): Counts {
  if (!report)
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      failures: [],
      problem: `vitest ended (${exitCode}) without a report`,
    };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, failureMessages }) =>
            `${relative('', name)} > ${fullName}: ${firstLine(failureMessages?.[0])}`,
        ),
    ),
  };
  if (brokenFiles.length > 0) {
    return {
      ...counts,
      problem: `did not load or set up: ${brokenFiles.map(({ name }) => name).join(', ')}`,
    };
  }
  if (counts.passed + counts.failed === 0) return { ...counts, failed: 1, problem: 'no test ran' };
  if (exitCode !== 0 && counts.failed === 0) {
    return {
      ...counts,
      failed: 1,
      problem: `vitest ended with exit code ${exitCode}: an error outside of any test`,
    };
  }
  return counts;
}

function firstLine(text = 'no message'): string {
  return text.split('\n', 1)[0] ?? text;
}
