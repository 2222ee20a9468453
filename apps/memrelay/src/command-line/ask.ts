import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

export function registerAsk(line: CommandLine): void {
  withOptions(
    line
      .memoryCommand('ask', 'answer a question from memories')
      .argument('<question...>', 'what to answer, or - to read it from stdin')
      .option('--limit <n>', 'from at most this many memories, 1 to 100 (default: 5)')
      .option('--context <n>', 'read this many memories stored before and after each as well, 0 to 3'),
    ...sharedOptions.tags(),
  ).action((words, options) =>
    runCommand(options, async (output) => (await import('../commands/ask.ts')).ask(output, words, options)),
  );
}
