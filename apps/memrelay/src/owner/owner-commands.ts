import { type Command, Option } from 'commander';
import { runCommand } from '../run-command.ts';

/**
 * The commands that the owner's wallet signs: `account`, `delegate`, `key` and `blobs`. Each shows what it will sign
 * and asks.
 */
export function addOwnerCommands(program: Command, environment: NodeJS.ProcessEnv): void {
  const group = (name: string, about: string): Command =>
    program
      .command(name)
      .description(about)
      .showHelpAfterError('Run it with --help to see how it is called.');
  addAccountCommands(group('account', 'make, show and hand over an account on chain'), environment);
  addDelegateCommands(group('delegate', 'give keys access to an account, and take it away'), environment);
  addKeyCommands(group('key', 'the data keys of an account'), environment);
  addBlobCommands(group('blobs', "the wallet's blobs on chain"), environment);
}

function ownerCommand(parent: Command, name: string, about: string): Command {
  return parent
    .command(name)
    .description(about)
    .option('--json', 'one JSON value a line, for programs')
    .option('--credentials <path>', 'credential file: names the relayer and the account')
    .addOption(new Option('--server <url>', 'base URL of the relayer').env('MEM_SERVER_URL'))
    .option('--wallet <path>', "file with the owner's key (default: wallet.json of the data directory)")
    .option('--account <id>', 'account (default: that of the credentials, else the one of the wallet)')
    .option('--no-sponsor', 'pay the gas from the wallet')
    .option('--yes', 'sign without being asked');
}

function addAccountCommands(account: Command, environment: NodeJS.ProcessEnv): void {
  const load = () => import('../commands/account.ts');
  ownerCommand(account, 'create', 'make the account of this wallet')
    .option('--recovery-key <path>', 'also make a key that opens memories without any key server')
    .action((options) =>
      runCommand(options, async (output) => (await load()).createAccount(output, options, environment)),
    );
  ownerCommand(account, 'show', 'the account as it is on chain').action((options) =>
    runCommand(options, async (output) => (await load()).showAccount(output, options, environment)),
  );
  ownerCommand(account, 'transfer', 'offer the account to another wallet, which has to accept')
    .argument('<address>', 'the new owner')
    .action((address, options) =>
      runCommand(options, async (output) =>
        (await load()).changeAccount(output, 'transfer', options, environment, address),
      ),
    );
  const changes = [
    ['cancel-transfer', 'withdraw an offer'],
    ['accept', 'take over an account that was offered to this wallet'],
    ['deactivate', 'switch the account off'],
    ['reactivate', 'switch the account on again'],
  ] as const;
  for (const [change, about] of changes)
    ownerCommand(account, change, about).action((options) =>
      runCommand(options, async (output) =>
        (await load()).changeAccount(output, change, options, environment),
      ),
    );
}

function addDelegateCommands(delegate: Command, environment: NodeJS.ProcessEnv): void {
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
    .option('--public-key <hex>', 'a key that somebody else holds, instead of a new one')
    .option('--proof <hex>', "its holder's consent, which limits need")
    .action((options) =>
      runCommand(options, async (output) => (await load()).addDelegate(output, options, environment)),
    );
  ownerCommand(delegate, 'list', 'all delegates and what they may do').action((options) =>
    runCommand(options, async (output) => (await load()).listDelegates(output, options, environment)),
  );
  ownerCommand(delegate, 'revoke', "take a key's access away")
    .argument('<label or key>', 'label or public key of the delegate')
    .action((which, options) =>
      runCommand(options, async (output) =>
        (await load()).revokeDelegate(output, which, options, environment),
      ),
    );
  ownerCommand(delegate, 'prune', 'take out the keys whose time is over').action((options) =>
    runCommand(options, async (output) => (await load()).pruneDelegates(output, options, environment)),
  );
  delegate
    .command('consent')
    .description('as a delegate: agree to be added to an account with limits')
    .argument('<account>', 'account id')
    .option('--json', 'one JSON value a line, for programs')
    .option('--credentials <path>', 'credential file with the key that agrees')
    .action((account, options) =>
      runCommand(options, async (output) => (await load()).consent(output, account, options)),
    );
}

function addKeyCommands(key: Command, environment: NodeJS.ProcessEnv): void {
  ownerCommand(key, 'rotate', 'begin a new key epoch').action((options) =>
    runCommand(options, async (output) =>
      (await import('../commands/key.ts')).rotateKey(output, options, environment),
    ),
  );
  ownerCommand(key, 'recovery', 'make a key that opens memories without any key server')
    .requiredOption('--out <path>', 'where the recovery key goes')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/key.ts')).addRecoveryKey(output, options, environment),
      ),
    );
  key
    .command('rewrap')
    .description("wrap data keys for the relayer's present key servers")
    .option('--json', 'one JSON value a line, for programs')
    .option('--credentials <path>', 'credential file of a delegate that may read and write')
    .addOption(new Option('--server <url>', 'base URL of the relayer').env('MEM_SERVER_URL'))
    .option('--recovery-key <path>', 'open them with this key: their key servers are gone')
    .option('--yes', 'do not ask before the recovery key is used')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/rewrap.ts')).rewrap(output, options)),
    );
}

function addBlobCommands(blobs: Command, environment: NodeJS.ProcessEnv): void {
  const load = () => import('../commands/blobs.ts');
  const all = (command: Command): Command =>
    command.argument('[ids...]', 'object or blob ids').option('--all', 'every blob of the wallet');
  ownerCommand(blobs, 'list', 'the blobs this wallet owns').action((options) =>
    runCommand(options, async (output) => (await load()).listBlobs(output, options, environment)),
  );
  all(ownerCommand(blobs, 'delete', 'delete blobs for good'))
    .option('--with-memories', 'also those in which several memories live, which are lost then')
    .action((ids, options) =>
      runCommand(options, async (output) => (await load()).deleteBlobs(output, ids, options, environment)),
    );
  all(ownerCommand(blobs, 'extend', 'prolong blobs, paid with WAL'))
    .option('--until <epoch>', 'those that end at this storage epoch or before')
    .requiredOption('--epochs <n>', 'by how many epochs')
    .action((ids, options) =>
      runCommand(options, async (output) => (await load()).extendBlobs(output, ids, options, environment)),
    );
}
