import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerNamespaces(line: CommandLine): void {
  line
    .clientCommand('namespaces', 'list the namespaces and what they contain')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/stats.ts')).namespaces(output, options),
      ),
    );
}
