import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerUp(line: CommandLine): void {
  line
    .command('up', 'start the local system: network, blob store, relayer, dashboard')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/up.ts')).up(output, line.environment)),
    );
}
