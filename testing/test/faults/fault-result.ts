import type { Findings } from './check/findings.ts';

/** Progress of a run, or its result. */
export interface FaultResult {
  seed: number;
  seconds: number;
  rounds: number;
  /** Number of faults that occurred, and of those that were tried but did not occur, by kind */
  injected: Map<string, number>;
  missed: Map<string, number>;
  /** Calls of the load that ended in an error, by code */
  errors: Map<string, number>;
  written: number;
  unacknowledged: number;
  forgotten: number;
  findings: Findings;
}
