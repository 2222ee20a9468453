import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerAnalyze(line: CommandLine): void {
  line
    .memoryCommand('analyze', 'extract the facts of a text and store each as a memory')
    .argument('<text...>', 'the text, or - to read it from stdin')
    .option('--occurred-at <time>', 'when it was said, in RFC 3339: "yesterday" becomes a date')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/analyze.ts')).analyze(output, words, options),
      ),
    );
}
