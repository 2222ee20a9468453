import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerStatus(line: CommandLine): void {
  line
    .clientCommand('status', 'how the relayer and the account are')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/status.ts')).status(output, options)),
    );
}
