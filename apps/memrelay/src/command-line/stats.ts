import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerStats(line: CommandLine): void {
  line
    .clientCommand('stats', 'how much is stored, and what is running or has failed')
    .option('--forecast', 'also show what renewing everything for a year costs, at current prices')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/stats.ts')).stats(output, options)),
    );
}
