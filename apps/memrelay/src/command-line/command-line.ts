import { relayerVersion } from '@memrelay/protocol/versions';
import { Command } from 'commander';
import { exitCodesHelp } from '../terminal/exit-codes.ts';
import { styleHelp } from './help-style.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

/** The command line with which the commands register themselves. Every command has `--json` for programs. */
export interface CommandLine {
  readonly program: Command;
  readonly environment: NodeJS.ProcessEnv;
  command(name: string, description: string): Command;
  /** A command that calls a relayer */
  clientCommand(name: string, description: string): Command;
  /** A command that works in one namespace */
  memoryCommand(name: string, description: string): Command;
  /** A group of subcommands */
  group(name: string, description: string): Command;
}

export function createCommandLine(environment: NodeJS.ProcessEnv): CommandLine {
  const program = new Command('memrelay')
    .description('Encrypted memory for AI agents, with keys that belong to their owner')
    .version(relayerVersion, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show this help; also after a command')
    .helpCommand(false)
    .exitOverride()
    .addHelpText('after', `\n${exitCodesHelp}`);
  styleHelp(program, environment);
  const line: CommandLine = {
    program,
    environment,
    command: (name, description) =>
      program.command(name).description(description).addOption(sharedOptions.json()),
    clientCommand: (name, description) =>
      withOptions(
        line.command(name, description),
        sharedOptions.credentials(
          'credential file (default: ~/.mem/credentials.json, else <data dir>/credentials.json)',
        ),
        sharedOptions.server('base URL of the relayer (default: the one in the credentials)'),
      ),
    memoryCommand: (name, description) =>
      line.clientCommand(name, description).addOption(sharedOptions.namespace()),
    group: (name, description) => program.command(name).description(description).helpCommand(false),
  };
  return line;
}
