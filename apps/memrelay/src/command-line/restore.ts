import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerRestore(line: CommandLine): void {
  line
    .memoryCommand('restore', 'bring memories back from the chain alone, when the database lost them')
    .option('--trust-writer <key...>', 'also trust memories signed by this Ed25519 key (64 hex digits)')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/restore.ts')).restore(output, options),
      ),
    );
}
