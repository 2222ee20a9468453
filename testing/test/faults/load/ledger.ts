/** What an app knows of a memory that it wrote. */
export interface Written {
  /** Which of the world's owners */
  account: number;
  namespace: string;
  kind: 'remember' | 'bulk' | 'manual';
  /** Of a manual memory: what stands for it in reports */
  text: string;
  /** Round of the run in which it was written */
  round: number;
  /** Once it was acknowledged; also where a manual call told the job and not yet its end */
  jobId: string | undefined;
  /** `asked`: no answer came to the wish to forget it, so that it may be there or not */
  forgotten: 'no' | 'asked' | 'yes';
  /** It was written more than once: still one memory */
  repeated: boolean;
  manual: { bytes: Uint8Array; vector: number[] } | undefined;
}

/** Everything that the load has done, as seen by its callers. */
export interface Ledger {
  written: Written[];
  /** Bulk calls that were acknowledged: their items in the order in which they were sent */
  bulks: Written[][];
  /** Objects that answers to forget named for deletion */
  namedForDeletion: Set<string>;
  /** Jobs that ended with a reason, and were tried again when the faults were over */
  failed: Set<string>;
  /** Calls that ended in an error, by its code */
  errors: Map<string, number>;
  /** What should never have happened, as it was seen while the load ran */
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
