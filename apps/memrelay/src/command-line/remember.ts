import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerRemember(line: CommandLine): void {
  line
    .memoryCommand('remember', 'store a text and wait until it is stored')
    .argument('<text...>', 'the text, or - to read it from stdin')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/remember.ts')).remember(output, words, options),
      ),
    );
}
