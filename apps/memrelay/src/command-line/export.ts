import { Option } from 'commander';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerExport(line: CommandLine): void {
  line
    .clientCommand(
      'export',
      'write memories with their keys into a file under a passphrase, for another server',
    )
    .argument('<file>', 'the bundle to write')
    .addOption(new Option('--namespace <name>', 'only this one (default: all)').env('MEM_NAMESPACE'))
    .option('--passphrase-file <path>', 'file whose first line is the passphrase (default: ask)')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/export.ts')).exportFile(output, file, options),
      ),
    );
}
