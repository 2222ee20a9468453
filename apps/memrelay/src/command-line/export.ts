import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerExport(line: CommandLine): void {
  line
    .clientCommand(
      'export',
      'write memories into a file: with their keys under a passphrase, or readable (--open)',
    )
    .argument('<file>', 'the file to write')
    .option('--open', 'readable instead, as JSON Lines (FILE.jsonl) or Markdown (FILE.md)')
    .addOption(sharedOptions.onlyNamespace())
    .addOption(sharedOptions.passphraseFile('file whose first line is the passphrase (default: ask)'))
    .action((file, options) =>
      runCommand(options, async (output) =>
        options.open
          ? (await import('../commands/export-open.ts')).exportOpenFile(output, file, options)
          : (await import('../commands/export.ts')).exportFile(output, file, options),
      ),
    );
}
