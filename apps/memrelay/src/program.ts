import { Command, Option } from 'commander';
import { exitCodesHelp } from './exit-codes.ts';
import { addHostCommands } from './hosts/host-commands.ts';
import { addOwnerCommands } from './owner/owner-commands.ts';
import { runCommand } from './run-command.ts';

/** The `memrelay` command line. Every command takes `--json` for programs. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('memrelay')
    .description('Encrypted memory for AI agents, with keys that belong to their owner')
    .showHelpAfterError('Run it with --help to see how it is called.')
    .exitOverride()
    .addHelpText('after', `\n${exitCodesHelp}`);

  const command = (name: string, description: string): Command =>
    program.command(name).description(description).option('--json', 'one JSON value a line, for programs');
  const clientCommand = (name: string, description: string): Command =>
    command(name, description)
      .option(
        '--credentials <path>',
        'credential file (default: ~/.mem/credentials.json, else <data dir>/credentials.json)',
      )
      .addOption(
        new Option('--server <url>', 'base URL of the relayer (default: the one in the credentials)').env(
          'MEM_SERVER_URL',
        ),
      );
  const memoryCommand = (name: string, description: string): Command =>
    clientCommand(name, description).addOption(
      new Option('--namespace <name>', 'which memories (default: default)').env('MEM_NAMESPACE'),
    );
  // A command's code is loaded when it is called: `recall` should not wait for the chain client of `up`.

  command('up', 'start the local system: network, blob store, relayer, dashboard').action((options) =>
    runCommand(options, async (output) => (await import('./commands/up.ts')).up(output, environment)),
  );
  command('pair', 'a link that opens the dashboard of the local system as you').action((options) =>
    runCommand(options, async (output) => (await import('./commands/pair.ts')).pair(output, environment)),
  );
  memoryCommand('remember', 'store a text and wait until it is stored')
    .argument('<text...>', 'the text, or - to read it from stdin')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/remember.ts')).remember(output, words, options),
      ),
    );
  memoryCommand('recall', 'find memories by a question')
    .argument('<query...>', 'what to look for')
    .option('--limit <n>', 'at most this many, 1 to 100 (default: 10)')
    .option('--explain', 'tell for each why it stands where it stands')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/recall.ts')).recall(output, words, options),
      ),
    );
  memoryCommand('analyze', 'store what a text tells, each fact as a memory of its own')
    .argument('<text...>', 'the text, or - to read it from stdin')
    .option('--occurred-at <time>', 'when it was said, in RFC 3339: "yesterday" becomes a date')
    .option('--no-wait', 'return as soon as it is accepted')
    .action((words, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/analyze.ts')).analyze(output, words, options),
      ),
    );
  memoryCommand('ask', 'answer a question from memories')
    .argument('<question...>', 'what to answer, or - to read it from stdin')
    .option('--limit <n>', 'from at most this many memories, 1 to 100 (default: 5)')
    .action((words, options) =>
      runCommand(options, async (output) => (await import('./commands/ask.ts')).ask(output, words, options)),
    );
  clientCommand('list', 'what is stored, newest first, without its text')
    .addOption(new Option('--namespace <name>', 'only this one (default: all)').env('MEM_NAMESPACE'))
    .option('--limit <n>', 'at most this many (default: 50)')
    .action((options) =>
      runCommand(options, async (output) => (await import('./commands/list.ts')).list(output, options)),
    );
  clientCommand('namespaces', 'the namespaces, with what is in them').action((options) =>
    runCommand(options, async (output) => (await import('./commands/stats.ts')).namespaces(output, options)),
  );
  clientCommand('stats', 'how much is stored, and what is running or has failed').action((options) =>
    runCommand(options, async (output) => (await import('./commands/stats.ts')).stats(output, options)),
  );
  memoryCommand('forget', 'remove memories for good')
    .argument('[ids...]', 'ids as `list` and `remember` tell them')
    .option('--all', 'everything in the namespace')
    .option('--everything', 'everything in every namespace')
    .option('--delete-blobs', "also delete their blobs on chain, signed by the owner's wallet")
    .option('--wallet <path>', "file with the owner's key (default: wallet.json of the data directory)")
    .option('--no-sponsor', 'pay the gas from the wallet')
    .option('--yes', 'do not ask')
    .action((ids, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/forget.ts')).forget(output, ids, options, environment),
      ),
    );
  clientCommand('retry', 'try a failed job again and wait until it is stored')
    .argument('<job>', 'the job id')
    .option('--no-wait', 'return as soon as it is queued')
    .action((job, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/retry.ts')).retry(output, job, options),
      ),
    );
  memoryCommand('import', 'store many memories from a file; run it again to go on after an interruption')
    .argument(
      '<file>',
      'a text file with one memory a line, JSON with chat messages, or a bundle of `memrelay export`',
    )
    .option('--no-wait', 'return as soon as all are accepted')
    .option('--again', 'import also what an earlier import of this file has stored')
    .option('--passphrase-file <path>', 'of a bundle: file whose first line is its passphrase')
    .option('--no-bundle-writers', 'of a bundle: take only what this account and relayer have signed')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/import.ts')).importFile(output, file, options, environment),
      ),
    );
  clientCommand('export', 'write memories with their keys into a file under a passphrase, for another server')
    .argument('<file>', 'the bundle to write')
    .addOption(new Option('--namespace <name>', 'only this one (default: all)').env('MEM_NAMESPACE'))
    .option('--passphrase-file <path>', 'file whose first line is the passphrase (default: ask)')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/export.ts')).exportFile(output, file, options),
      ),
    );
  memoryCommand('restore', 'bring memories back from the chain alone, when the database lost them')
    .option('--trust-writer <key...>', 'also believe what this Ed25519 key (64 hex digits) has signed')
    .action((options) =>
      runCommand(options, async (output) => (await import('./commands/restore.ts')).restore(output, options)),
    );
  clientCommand('reindex', 'embed memories anew whose vectors are of another model than the relayer has now')
    .addOption(new Option('--namespace <name>', 'only this one (default: all)').env('MEM_NAMESPACE'))
    .action((options) =>
      runCommand(options, async (output) => (await import('./commands/reindex.ts')).reindex(output, options)),
    );
  clientCommand('status', 'how the relayer and the account are').action((options) =>
    runCommand(options, async (output) => (await import('./commands/status.ts')).status(output, options)),
  );
  clientCommand('doctor', 'check everything from here to the key servers and say what to do')
    .option('--write', 'also store and recall a memory')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('./commands/doctor.ts')).doctor(output, options, environment),
      ),
    );
  addOwnerCommands(program, environment);
  addHostCommands(program, environment);
  command('cost', 'what memories cost on a network at its present prices, alone and in quilts')
    .addOption(
      new Option('--network <name>', 'mainnet, testnet or localnet').env('CHAIN_NETWORK').default('mainnet'),
    )
    .addOption(new Option('--rpc <url>', "full node (default: the network's)").env('CHAIN_RPC_URL'))
    .option('--memories <n>', 'how many', '1000')
    .option('--bytes <n>', 'length of a text in UTF-8', '300')
    .option('--epochs <n>', "how long they are stored (default: the network's STORE_EPOCHS)")
    .option('--quilt <n>', 'memories in a quilt (default: 100, or as many as fit)')
    .action((options) =>
      runCommand(options, async (output) => (await import('./commands/cost.ts')).cost(output, options)),
    );
  command('blobstore', 'start a Walrus publisher and aggregator alone: no chain, no wallet, no Docker')
    .usage('[flags of the blob store]')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[flags...]')
    .action((flags, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/blobstore.ts')).blobstore(output, flags, environment),
      ),
    );
  command('demo', 'import a conversation into a private system, ask it questions, measure')
    .argument('[file]', 'chat JSON or text (default: the conversation in examples/)')
    .option('--limit-messages <n>', 'at most this many messages of each conversation')
    .option('--limit-questions <n>', 'at most this many questions of each conversation')
    .action((file, options) =>
      runCommand(options, async (output) =>
        (await import('./commands/demo.ts')).demo(output, file, options, environment),
      ),
    );
  return program;
}
