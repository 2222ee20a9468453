import { type Command, Option } from 'commander';

/** Adds a command that the owner's wallet signs. It shows what it will sign and asks. */
export function ownerCommand(parent: Command, name: string, about: string): Command {
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
