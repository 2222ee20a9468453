/** A memory that an app wrote, as far as the app knows. */
export interface Written {
  /** Index of the owner in the world */
  account: number;
  namespace: string;
  kind: 'remember' | 'bulk' | 'manual';
  /** The text; for a manual memory, its label in reports */
  text: string;
  /** Round of the run in which it was written */
  round: number;
  /** Set once the write was acknowledged, also if a manual call returned the job before it ended */
  jobId: string | undefined;
  /** `asked`: the request to forget it got no response, so the memory may or may not exist */
  forgotten: 'no' | 'asked' | 'yes';
  /** The text was written more than once, which must result in one memory */
  repeated: boolean;
  manual: { bytes: Uint8Array; vector: number[] } | undefined;
}

/** Everything that the load has done, from the point of view of its callers. */
export interface Ledger {
  written: Written[];
  /** Acknowledged bulk calls: their items in the order in which they were sent */
  bulks: Written[][];
  /** Objects that responses to forget listed for deletion */
  namedForDeletion: Set<string>;
  /** Jobs that ended with a reason, and were retried after the faults */
  failed: Set<string>;
  /** Calls that ended in an error, by its code */
  errors: Map<string, number>;
  /** Violations seen while the load ran */
  broken: string[];
}

export function emptyLedger(): Ledger {
  return {
    written: [],
    bulks: [],
    namedForDeletion: new Set(),
    failed: new Set(),
    errors: new Map(),
    broken: [],
  };
}

export const countError = ({ errors }: Ledger, code: string): void =>
  void errors.set(code, (errors.get(code) ?? 0) + 1);
