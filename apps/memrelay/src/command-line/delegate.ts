import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { ownerCommand } from './owner-command.ts';
import { sharedOptions } from './shared-options.ts';

export function registerDelegate(line: CommandLine): void {
  const delegate = line.group('delegate', 'give keys access to an account, or revoke it');
  const load = () => import('../commands/delegate.ts');
  ownerCommand(delegate, 'add', 'make a key with access to the account and write its credentials')
    .requiredOption('--label <text>', 'what the key is for')
    .option('--can <list>', 'read, write, forget, separated by commas (default: all)')
    .option('--in <namespace...>', 'only in these namespaces (default: all)')
    .option('--expires <when>', '12h, 30d or a date (default: never)')
    .option(
      '--out <path>',
      'where the credentials go (default: delegates/<label>.json of the data directory)',
    )
    .option('--public-key <hex>', 'a key that another person holds, instead of a new one')
    .option('--proof <hex>', "the holder's consent, required with limits")
    .action((options) =>
      runCommand(options, async (output) => (await load()).addDelegate(output, options, line.environment)),
    );
  ownerCommand(delegate, 'list', 'all delegates and what they may do').action((options) =>
    runCommand(options, async (output) => (await load()).listDelegates(output, options, line.environment)),
  );
  ownerCommand(delegate, 'revoke', "take a key's access away")
    .argument('<label or key>', 'label or public key of the delegate')
    .action((which, options) =>
      runCommand(options, async (output) =>
        (await load()).revokeDelegate(output, which, options, line.environment),
      ),
    );
  ownerCommand(delegate, 'prune', 'remove expired keys').action((options) =>
    runCommand(options, async (output) => (await load()).pruneDelegates(output, options, line.environment)),
  );
  delegate
    .command('consent')
    .description('as a delegate: agree to be added to an account with limits')
    .argument('<account>', 'account id')
    .addOption(sharedOptions.json())
    .addOption(sharedOptions.credentials('credential file with the key that agrees'))
    .action((account, options) =>
      runCommand(options, async (output) => (await load()).consent(output, account, options)),
    );
}
