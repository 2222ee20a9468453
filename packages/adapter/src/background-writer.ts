import { type OnError, reportFailure } from './failure-report.ts';

/** What became of the writes since the previous `flush`. */
export interface FlushReport {
  /** Writes that the relayer has durably accepted */
  written: number;
  /** Writes that were given up after the client's retries, or dropped because too many were waiting */
  failed: number;
  /** The last failure */
  lastError?: unknown;
}

export interface BackgroundWriter {
  /** Starts a write after all earlier ones. Returns at once and never throws. */
  add(write: () => Promise<unknown>): void;
  /** Resolves when everything added so far is written or given up. Never rejects. */
  flush(): Promise<FlushReport>;
}

/** Writes wait for each other, so memories keep the order of the conversation. More than this many waiting are dropped. */
const maxWaiting = 1_000;

/** Writes in the background, one after another. */
export function createBackgroundWriter(onError?: OnError): BackgroundWriter {
  let report: FlushReport = { written: 0, failed: 0 };
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const fail = (error: unknown): void => {
    report = { ...report, failed: report.failed + 1, lastError: error };
    reportFailure(onError, error, 'remember');
  };
  return {
    add(write) {
      if (waiting >= maxWaiting) {
        fail(new Error(`${maxWaiting} writes are waiting for the relayer; this one was dropped.`));
        return;
      }
      waiting++;
      last = last
        .then(write)
        .then(() => {
          report.written++;
        }, fail)
        .finally(() => {
          waiting--;
        });
    },
    async flush() {
      await last;
      const done = report;
      report = { written: 0, failed: 0 };
      return done;
    },
  };
}
