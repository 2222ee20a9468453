import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start a whole system, and take up to a minute. */
const wholeSystem = /\/(testing|apps\/memrelay)\/test\//;

/**
 * The long files begin first, or the last of them would run alone at the end. Vitest itself knows how long a file takes
 * once it has run on this machine, which is too late for a fresh clone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => wholeSystem.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Tests of processes, with signal handlers and environments of their own: each file has a worker for itself. */
const ofProcesses = ['apps/sidecar', 'apps/memrelay', 'packages/mcp', 'testing'].map(
  (folder) => `${folder}/{src,test}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: ofProcesses,
          setupFiles: ['testing/test/support/check-responses-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'modules',
          include: [
            'apps/*/{src,test}/**/*.test.{ts,tsx}',
            'packages/*/{src,test}/**/*.test.ts',
            'integrations/*/{src,test}/**/*.test.ts',
            'contracts/test/**/*.test.ts',
            'scripts/**/*.test.ts',
            'docs/**/*.test.ts',
            'bench/**/*.test.ts',
            'site/test/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...ofProcesses],
          // Loading the same modules for each file took a fifth of their processor time
          isolate: false,
        },
      },
    ],
    globalSetup: ['scripts/testing/run-directory-setup.ts'],
    // Processes: native addons, worker threads and signal handlers stay apart.
    pool: 'forks',
    // The long files mostly wait: for leases, restarts and other processes
    maxWorkers: Math.max(4, Math.ceil(availableParallelism() * 1.5)),
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    // Hides the output of passing tests.
    silent: 'passed-only',
    // Real databases and browsers: a plain test may take a while on a busy machine.
    slowTestThreshold: 5_000,
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // The default of one second is for a machine that does nothing else
    expect: { poll: { timeout: 20_000 } },
  },
});
