import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerReindex(line: CommandLine): void {
  line
    .clientCommand('reindex', "re-embed memories whose vectors are not of the relayer's current model")
    .addOption(sharedOptions.onlyNamespace())
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/reindex.ts')).reindex(output, options),
      ),
    );
}
