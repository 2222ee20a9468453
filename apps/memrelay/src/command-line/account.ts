import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { ownerCommand } from './owner-command.ts';

export function registerAccount(line: CommandLine): void {
  const account = line.group('account', 'make, show and hand over an account on chain');
  const load = () => import('../commands/account.ts');
  ownerCommand(account, 'create', 'make the account of this wallet')
    .option('--recovery-key <path>', 'also make a key that opens memories without any key server')
    .action((options) =>
      runCommand(options, async (output) => (await load()).createAccount(output, options, line.environment)),
    );
  ownerCommand(account, 'show', 'the account as it is on chain').action((options) =>
    runCommand(options, async (output) => (await load()).showAccount(output, options, line.environment)),
  );
  ownerCommand(account, 'transfer', 'offer the account to another wallet, which has to accept')
    .argument('<address>', 'the new owner')
    .action((address, options) =>
      runCommand(options, async (output) =>
        (await load()).changeAccount(output, 'transfer', options, line.environment, address),
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
        (await load()).changeAccount(output, change, options, line.environment),
      ),
    );
}
