import type { Findings } from './check/findings.ts';

/** Progress of a run, or its result. */
export interface FaultResult {
  seed: number;
  seconds: number;
  rounds: number;
  /** Faults that happened, by kind; and those that were tried but did not occur */
  injected: Map<string, number>;
  missed: Map<string, number>;
  /** Calls of the load that ended in an error, by code */
  errors: Map<string, number>;
  written: number;
  unacknowledged: number;
  forgotten: number;
  findings: Findings;
}
