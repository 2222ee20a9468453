/** What one suite came to. */
export interface SuiteResult {
  name: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** A failure that no single test shows: nothing ran, a file did not load, an uncaught error. */
  problem?: string;
}
