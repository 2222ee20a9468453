import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerStatus(line: CommandLine): void {
  line
    .clientCommand('status', 'show the state of the relayer and the account')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/status.ts')).status(output, options)),
    );
}
