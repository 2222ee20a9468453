/** The result of one suite. */
export interface SuiteResult {
  name: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** Each failed test: its file, its name and the first line of its error */
  failures?: readonly string[];
  /** A failure outside any single test: nothing ran, a file did not load, an uncaught error. */
  problem?: string;
}
