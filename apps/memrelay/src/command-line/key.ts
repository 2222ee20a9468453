import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { ownerCommand } from './owner-command.ts';
import { sharedOptions } from './shared-options.ts';

export function registerKey(line: CommandLine): void {
  const key = line.group('key', 'the data keys of an account');
  ownerCommand(key, 'rotate', 'begin a new key epoch').action((options) =>
    runCommand(options, async (output) =>
      (await import('../commands/key.ts')).rotateKey(output, options, line.environment),
    ),
  );
  ownerCommand(key, 'recovery', 'make a key that opens memories without any key server')
    .requiredOption('--out <path>', 'where the recovery key goes')
    .action((options) =>
      runCommand(options, async (output) =>
        (await import('../commands/key.ts')).addRecoveryKey(output, options, line.environment),
      ),
    );
  key
    .command('rewrap')
    .description("wrap data keys for the relayer's current key servers")
    .addOption(sharedOptions.json())
    .addOption(sharedOptions.credentials('credential file of a delegate that may read and write'))
    .addOption(sharedOptions.server())
    .option('--recovery-key <path>', 'open them with this key: their key servers are gone')
    .addOption(sharedOptions.yes('do not ask before the recovery key is used'))
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/rewrap.ts')).rewrap(output, options)),
    );
}
