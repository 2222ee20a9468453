import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerProfile(line: CommandLine): void {
  line
    .memoryCommand('profile', 'short facts from memories, about a subject or the most important ones')
    .argument('[subject...]', 'a person, a thing or a topic')
    .option('--limit <n>', 'at most this many facts, 1 to 100 (default: 20)')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/profile.ts')).profile(output, words, options),
      ),
    );
}
