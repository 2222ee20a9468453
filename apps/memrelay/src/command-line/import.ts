import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerImport(line: CommandLine): void {
  line
    .memoryCommand('import', 'store many memories from a file; run it again to resume an interrupted import')
    .argument(
      '<file>',
      'a text file with one memory a line, JSON with chat messages, or a bundle of `memrelay export`',
    )
    .option('--no-wait', 'return as soon as all are accepted')
    .option('--again', 'import also what an earlier import of this file has stored')
    .addOption(sharedOptions.passphraseFile('of a bundle: file whose first line is its passphrase'))
    .option('--no-bundle-writers', 'of a bundle: take only what this account and relayer have signed')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/import.ts')).importFile(output, file, options, line.environment),
      ),
    );
}
