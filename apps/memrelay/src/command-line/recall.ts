import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

export function registerRecall(line: CommandLine): void {
  withOptions(
    line
      .memoryCommand('recall', 'find memories by a question')
      .argument('<query...>', 'what to look for')
      .option('--limit <n>', 'at most this many, 1 to 100 (default: 10)')
      .option('--context <n>', 'also show this many memories stored before and after each, 0 to 3')
      .option('--rerank', "let the relayer's chat model sort them")
      .option('--explain', 'show how each memory was ranked'),
    ...sharedOptions.tags(),
  ).action((words, options) =>
    runCommand(options, async (output) =>
      (await import('../commands/recall.ts')).recall(output, words, options),
    ),
  );
}
