import { type Command, Option } from 'commander';
import { sharedOptions, withOptions } from './shared-options.ts';

/** Adds a command that the owner's wallet signs. It shows what it will sign and asks. */
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
