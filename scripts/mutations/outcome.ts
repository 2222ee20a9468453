import type { VitestRun } from '../testing/run-vitest.ts';

export interface Judgement {
  outcome: 'noticed' | 'survived' | 'unusable';
  /** Why the mutation proves nothing */
  reason?: string;
}

/** Timeout of a run of one statement's tests, which normally takes at most a few minutes. */
export const maxRunMs = 15 * 60_000;

/** Why the run without the mutation proves nothing; undefined if the named tests pass. */
export function problemBefore(run: VitestRun): string | undefined {
  if (run.cutOff) return 'the named tests were cut off without the mutation';
  if (run.failed > 0) return run.problem ?? 'a named test fails without the mutation';
  return run.passed === 0 ? 'no named test ran on this machine' : undefined;
}

/**
 * Judges the run with the mutation. The mutation is noticed only if a named test fails. A run that was cut off, a file that does
 * not load or a hook that throws proves nothing about the statement.
 */
export function judge(run: VitestRun): Judgement {
  if (run.cutOff) return { outcome: 'unusable', reason: 'the named tests were cut off with the mutation' };
  if (run.failedTests > 0) return { outcome: 'noticed' };
  if (run.failed > 0) return { outcome: 'unusable', reason: run.problem ?? 'vitest failed' };
  return { outcome: 'survived' };
}
