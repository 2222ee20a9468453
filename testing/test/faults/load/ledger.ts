/** What an app knows about a memory that it wrote. */
export interface Written {
  /** Which of the world's owners */
  account: number;
  namespace: string;
  kind: 'remember' | 'bulk' | 'manual';
  /** For a manual memory: its label in reports */
  text: string;
  /** Round of the run in which it was written */
  round: number;
  /** Set once it was acknowledged, also when a manual call returned the job before its end */
  jobId: string | undefined;
  /** `asked`: the request to forget it got no response, so the memory may still exist or not */
  forgotten: 'no' | 'asked' | 'yes';
  /** It was written more than once, which still makes one memory */
  repeated: boolean;
  manual: { bytes: Uint8Array; vector: number[] } | undefined;
}

/** Everything that the load has done, as its callers saw it. */
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
