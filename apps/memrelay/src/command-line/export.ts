import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerExport(line: CommandLine): void {
  line
    .clientCommand(
      'export',
      'write memories with their keys into a file under a passphrase, for another server',
    )
    .argument('<file>', 'the bundle to write')
    .addOption(sharedOptions.onlyNamespace())
    .addOption(sharedOptions.passphraseFile('file whose first line is the passphrase (default: ask)'))
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/export.ts')).exportFile(output, file, options),
      ),
    );
}
