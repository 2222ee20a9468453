import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerShow(line: CommandLine): void {
  line
    .clientCommand('show', 'one memory with its text, and what it replaced or was replaced by')
    .argument('<id>', 'its id, as shown by `recall`, `list` and `remember`')
    .action((id, options) =>
      runCommand(options, async (output) => (await import('../commands/show.ts')).show(output, id, options)),
    );
}
