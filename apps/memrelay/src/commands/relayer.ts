import { loadEnvFile } from 'node:process';
import type { Finding } from '../doctor/check.ts';
import { showFinding } from '../doctor/show-finding.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

/** A build replaces each URL with that of the bundled file (scripts/build/follow-urls.mjs). */
const entries = {
  start: new URL('../../../relayer/src/main.ts', import.meta.url),
  migrate: new URL('../../../relayer/src/migrate.ts', import.meta.url),
  'after-restore': new URL('../../../relayer/src/after-restore.ts', import.meta.url),
  doctor: new URL('../../../relayer/src/doctor/examine.ts', import.meta.url),
};

export interface RelayerOptions {
  /** File with `NAME=value` lines */
  config?: string | undefined;
  /** When the relayers of a restored database stopped */
  stoppedAt?: string | undefined;
}

/**
 * Runs a relayer in this process, which then ends only with the relayer, or applies the migrations of its database,
 * prepares one that was restored, or checks it. All read the environment of this process.
 */
export async function relayer(
  output: Output,
  action: keyof typeof entries,
  { config, stoppedAt }: RelayerOptions,
): Promise<void> {
  if (config !== undefined)
    try {
      loadEnvFile(config);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ExitError(
        exitCodes.usage,
        `${config} cannot be read (${code ?? 'not a list of variables'}).`,
      );
    }
  if (stoppedAt !== undefined) process.env.MEMRELAY_STOPPED_AT = stoppedAt;
  const entry: unknown = await import(entries[action].href);
  if (action === 'doctor') await showProblems(output, (entry as RelayerDoctor).examine(process.env, config));
}

/** What the relayer's entry exports. */
interface RelayerDoctor {
  examine(
    environment: NodeJS.ProcessEnv,
    configFile: string | undefined,
  ): AsyncIterable<Finding & { check: string; cause?: 'settings' | 'unreachable' }>;
}

const causes = { settings: exitCodes.usage, unreachable: exitCodes.unavailable } as const;

/** Prints the findings. Throws `ExitError` with the code of the first problem. */
async function showProblems(output: Output, findings: ReturnType<RelayerDoctor['examine']>): Promise<void> {
  const failures: number[] = [];
  let warnings = 0;
  for await (const { check, cause, ...finding } of findings) {
    showFinding(output, check.replaceAll('_', ' '), finding);
    if (finding.state === 'failed') failures.push(cause ? causes[cause] : exitCodes.failed);
    if (finding.state === 'warning') warnings += 1;
  }
  output.line('');
  const [first] = failures;
  if (first !== undefined)
    throw new ExitError(
      first,
      failures.length === 1
        ? 'One thing is wrong; see above.'
        : `${failures.length} things are wrong; see above.`,
    );
  output.line(
    warnings === 0 ? 'All is well.' : `It works; look at the ${warnings === 1 ? 'warning' : 'warnings'}.`,
  );
}
