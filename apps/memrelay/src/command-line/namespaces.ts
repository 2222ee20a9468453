import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerNamespaces(line: CommandLine): void {
  line
    .clientCommand('namespaces', 'the namespaces, with what is in them')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/stats.ts')).namespaces(output, options),
      ),
    );
}
