import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerStats(line: CommandLine): void {
  line
    .clientCommand('stats', 'how much is stored, and what is running or has failed')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/stats.ts')).stats(output, options)),
    );
}
