import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

export function registerAudit(line: CommandLine): void {
  const load = () => import('../commands/audit.ts');
  const shared = () => [sharedOptions.json(), sharedOptions.credentials(), sharedOptions.server()];
  const audit = line.group(
    'audit',
    'what was done with the account, in a log that cannot be changed unnoticed',
  );
  withOptions(
    audit.command('list', { isDefault: true }).description('the latest entries, newest first'),
    ...shared(),
  )
    .option('--limit <n>', 'at most this many (default: 50)')
    .action((options) => runCommand(options, async (output) => (await load()).listAudit(output, options)));
  withOptions(
    audit
      .command('verify')
      .description('check hashes, signatures, and that it continues what this machine saw last')
      .argument('[file]', 'a file of `audit export`, without asking the relayer'),
    ...shared(),
  )
    .option('--accept', 'accept a log that does not continue what was seen, such as after a restored backup')
    .action((file, options) =>
      runCommand(options, async (output) => (await load()).verifyAudit(output, file, options)),
    );
  withOptions(
    audit
      .command('export')
      .description('write the whole log to a file that `audit verify` checks without a relayer')
      .argument('<file>', 'where it goes'),
    ...shared(),
  ).action((file, options) =>
    runCommand(options, async (output) => (await load()).exportAudit(output, file, options)),
  );
}
