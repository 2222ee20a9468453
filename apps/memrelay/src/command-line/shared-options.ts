import { type Command, Option } from 'commander';
import { collectTag } from '../terminal/context-flags.ts';

/** Options that several commands take with the same meaning. */
export const sharedOptions = {
  json: (): Option => new Option('--json', 'one JSON value per line, for programs'),
  /** `about` replaces the general description */
  credentials: (about = 'credential file'): Option => new Option('--credentials <path>', about),
  server: (about = 'base URL of the relayer'): Option =>
    new Option('--server <url>', about).env('MEM_SERVER_URL'),
  /** For a command that works in one namespace */
  namespace: (): Option =>
    new Option('--namespace <name>', 'namespace of the memories (default: default)').env('MEM_NAMESPACE'),
  /** For a command that works in all namespaces unless it is given one */
  onlyNamespace: (): Option =>
    new Option('--namespace <name>', 'only this one (default: all)').env('MEM_NAMESPACE'),
  /** Which memories to search or list, by their tags */
  tags: (): Option[] => [
    new Option('--tag <tag>', 'only memories with this tag; repeated: with all of them').argParser(
      collectTag,
    ),
    new Option('--any-tag <tag>', 'only memories with this tag; repeated: with one of them').argParser(
      collectTag,
    ),
    new Option('--not-tag <tag>', 'only memories without this tag; may be repeated').argParser(collectTag),
  ],
  wallet: (): Option =>
    new Option('--wallet <path>', "file with the owner's key (default: wallet.json of the data directory)"),
  noSponsor: (): Option => new Option('--no-sponsor', 'pay the gas from the wallet'),
  passphraseFile: (about: string): Option => new Option('--passphrase-file <path>', about),
  yes: (about = 'do not ask'): Option => new Option('--yes', about),
};

/** Adds options in their order. */
export function withOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}
