import type { Findings } from './check/findings.ts';

/** How far a run has come, or what came of it. */
export interface FaultResult {
  seed: number;
  seconds: number;
  rounds: number;
  /** Those that happened, by kind; and those that were tried and did not come about */
  injected: Map<string, number>;
  missed: Map<string, number>;
  /** Calls of the load that were answered with an error, by code */
  errors: Map<string, number>;
  written: number;
  unacknowledged: number;
  forgotten: number;
  findings: Findings;
}
