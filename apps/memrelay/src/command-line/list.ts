import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

export function registerList(line: CommandLine): void {
  withOptions(
    line
      .clientCommand('list', 'what is stored, newest first')
      .addOption(sharedOptions.onlyNamespace())
      .option('--limit <n>', 'at most this many (default: 50)')
      .option('--texts', 'read and print the texts'),
    ...sharedOptions.tags(),
  ).action((options) =>
    runCommand(options, async (output) => (await import('../commands/list.ts')).list(output, options)),
  );
}
