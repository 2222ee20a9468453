import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerPair(line: CommandLine): void {
  line
    .command('pair', 'a link that opens the dashboard of the local system as you')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/pair.ts')).pair(output, line.environment),
      ),
    );
}
