import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerRetry(line: CommandLine): void {
  line
    .clientCommand('retry', 'try a failed job again and wait until it is stored')
    .argument('<id>', 'its id, as shown by `stats` and `remember`')
    .option('--no-wait', 'return as soon as it is queued')
    .action((job, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/retry.ts')).retry(output, job, options),
      ),
    );
}
