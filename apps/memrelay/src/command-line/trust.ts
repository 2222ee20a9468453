import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerTrust(line: CommandLine): void {
  line
    .command('trust', 'let tools call a relayer with credentials that were made at another one')
    .argument('[url]', 'the relayer')
    .option('--list', 'show the approved ones')
    .option('--remove <url>', 'remove an approval')
    .action((url, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/trust.ts')).trust(output, url, options),
      ),
    );
}
