import { loadEnvFile } from 'node:process';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';

/** A build replaces each URL with that of the bundled file (scripts/build/follow-urls.mjs). */
const entries = {
  start: new URL('../../../relayer/src/main.ts', import.meta.url),
  migrate: new URL('../../../relayer/src/migrate.ts', import.meta.url),
};

export interface RelayerOptions {
  /** File with `NAME=value` lines */
  config?: string | undefined;
}

/**
 * Runs a relayer in this process, which then ends only with the relayer, or applies the migrations of its database. Both
 * read the environment of this process and report problems with it themselves.
 */
export async function relayer(action: keyof typeof entries, { config }: RelayerOptions): Promise<void> {
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
  await import(entries[action].href);
}
