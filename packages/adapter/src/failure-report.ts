/** Which part of an adapter's work failed. The agent's answer does not wait for either. */
export type FailedWork = 'recall' | 'remember';

/** Called with each failure that an adapter keeps away from the answer. What it throws is ignored. */
export type OnError = (error: unknown, during: FailedWork) => void;

/** Reports a failure; a callback that throws must not break the answer either. */
export function reportFailure(onError: OnError | undefined, error: unknown, during: FailedWork): void {
  try {
    onError?.(error, during);
  } catch {
    // The callback is the only place to report to
  }
}
