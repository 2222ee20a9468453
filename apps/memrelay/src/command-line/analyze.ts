import { collectTag } from '../terminal/context-flags.ts';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerAnalyze(line: CommandLine): void {
  line
    .memoryCommand('analyze', 'extract the facts of a text and store each as a memory')
    .argument('<text...>', 'the text, or - to read it from stdin')
    .option('--occurred-at <time>', 'when it was said, in RFC 3339: "yesterday" becomes a date')
    .option('--session <name>', 'the conversation it belongs to')
    .option('--speaker <name>', 'who said it')
    .option('--happened-at <time>', 'when it was said or happened, in RFC 3339')
    .option('--tag <tag>', 'a label; may be repeated', collectTag)
    .option('--metadata <json>', 'a flat JSON object that is kept with it')
    .option('--expires <time>', 'forget it then, in RFC 3339')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/analyze.ts')).analyze(output, words, options),
      ),
    );
}
