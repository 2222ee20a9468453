import { collectTag } from '../terminal/context-flags.ts';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerReplace(line: CommandLine): void {
  line
    .clientCommand('replace', 'store a new text in place of a memory, and wait until it is stored')
    .argument('<id>', 'id of the memory, as shown by `recall`, `list` and `remember`')
    .argument('<text...>', 'the new text, or - to read it from stdin')
    .option('--session <name>', 'the conversation it belongs to (default: as before)')
    .option('--speaker <name>', 'who said it (default: as before)')
    .option('--happened-at <time>', 'when it was said or happened, in RFC 3339')
    .option('--tag <tag>', 'a label instead of those before; may be repeated', collectTag)
    .option('--metadata <json>', 'a flat JSON object that is kept with it (default: as before)')
    .option('--expires <time>', 'forget it then, in RFC 3339 (default: as before)')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((id, words, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/replace.ts')).replace(output, id, words, options),
      ),
    );
}
