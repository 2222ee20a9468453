import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerDemo(line: CommandLine): void {
  line
    .command('demo', 'import a conversation into a private system, ask it questions, measure')
    .argument('[file]', 'chat JSON or text (default: the conversation in examples/)')
    .option('--limit-messages <n>', 'at most this many messages of each conversation')
    .option('--limit-questions <n>', 'at most this many questions of each conversation')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/demo.ts')).demo(output, file, options, line.environment),
      ),
    );
}
