import type { VitestRun } from '../testing/run-vitest.ts';

export interface Judgement {
  outcome: 'noticed' | 'survived' | 'unusable';
  /** Why the mutation proves nothing */
  reason?: string;
}

/** A run of the named tests of one statement takes minutes at most; one that hangs is cut off. */
export const mostRunMs = 15 * 60_000;

/** Whether the named tests pass as the code is; the reason why they prove nothing, if not. */
export function problemBefore(run: VitestRun): string | undefined {
  if (run.cutOff) return 'the named tests were cut off without the mutation';
  if (run.failed > 0) return run.problem ?? 'a named test fails without the mutation';
  return run.passed === 0 ? 'no named test ran on this machine' : undefined;
}

/**
 * What the run with the mutation shows. Only a named test that fails has noticed it: a run that was cut off, a file that
 * does not load or a hook that throws says nothing about the statement.
 */
export function judge(run: VitestRun): Judgement {
  if (run.cutOff) return { outcome: 'unusable', reason: 'the named tests were cut off with the mutation' };
  if (run.failedTests > 0) return { outcome: 'noticed' };
  if (run.failed > 0) return { outcome: 'unusable', reason: run.problem ?? 'vitest failed' };
  return { outcome: 'survived' };
}
