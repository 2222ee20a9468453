import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerForget(line: CommandLine): void {
  line
    .memoryCommand('forget', 'remove memories for good')
    .argument('[ids...]', 'ids as shown by `recall`, `list` and `remember`')
    .option('--all', 'everything in the namespace')
    .option('--everything', 'everything in every namespace')
    .option('--delete-blobs', "also delete their blobs on chain, signed by the owner's wallet")
    .addOption(sharedOptions.wallet())
    .addOption(sharedOptions.noSponsor())
    .addOption(sharedOptions.yes())
    .action((ids, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/forget.ts')).forget(output, ids, options, line.environment),
      ),
    );
}
