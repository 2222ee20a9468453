import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerImport(line: CommandLine): void {
  line
    .memoryCommand('import', 'store many memories from a file, folder or export; run it again to resume')
    .argument(
      '<file>',
      'text with one memory a line, chat JSON, a folder of Markdown (Obsidian), an export of ChatGPT, Claude, mem0, Zep, Letta or Supermemory (JSON or zip), or an export of memrelay',
    )
    .option('--dry-run', 'only show what would be imported')
    .option(
      '--roles <list>',
      'of a chat export: user, assistant, … or all (default: user for ChatGPT and Claude)',
    )
    .option('--no-wait', 'return as soon as all are accepted')
    .option('--again', 'import also what an earlier import of this file has stored')
    .addOption(sharedOptions.passphraseFile('of a bundle: file whose first line is its passphrase'))
    .option('--no-bundle-writers', 'of a bundle: take only what this account and relayer have signed')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/import.ts')).importFile(output, file, options, line.environment),
      ),
    );
}
