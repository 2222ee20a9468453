import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerReplace(line: CommandLine): void {
  line
    .clientCommand('replace', 'store a new text in place of a memory, and wait until it is stored')
    .argument('<id>', 'id of the memory, as shown by `recall`, `list` and `remember`')
    .argument('<text...>', 'the new text, or - to read it from stdin')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((id, words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/replace.ts')).replace(output, id, words, options),
      ),
    );
}
