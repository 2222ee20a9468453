import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerDoctor(line: CommandLine): void {
  line
    .clientCommand('doctor', 'check everything from here to the key servers and say what to do')
    .option('--write', 'also store, recall and forget a memory')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/doctor.ts')).doctor(output, options, line.environment),
      ),
    );
}
