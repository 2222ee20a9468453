import { type Command, Option } from 'commander';
import { sharedOptions, withOptions } from './shared-options.ts';

/** Adds a command that signs with the owner's wallet. It shows what it will sign and asks for consent. */
export function ownerCommand(parent: Command, name: string, about: string): Command {
  return withOptions(
    parent.command(name).description(about),
    sharedOptions.json(),
    sharedOptions.credentials('credential file: names the relayer and the account'),
    sharedOptions.server(),
    sharedOptions.wallet(),
    new Option('--account <id>', 'account (default: that of the credentials, else the one of the wallet)'),
    sharedOptions.noSponsor(),
    sharedOptions.yes('sign without being asked'),
  );
}
