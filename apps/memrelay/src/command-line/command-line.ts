import { Command } from 'commander';
import { exitCodesHelp } from '../terminal/exit-codes.ts';
import { sharedOptions, withOptions } from './shared-options.ts';

const usageHint = 'Run it with --help to see how it is called.';

/** The command line that the commands register themselves with. Every command takes `--json` for programs. */
export interface CommandLine {
  readonly program: Command;
  readonly environment: NodeJS.ProcessEnv;
  command(name: string, description: string): Command;
  /** A command that calls a relayer */
  clientCommand(name: string, description: string): Command;
  /** A command that works in one namespace */
  memoryCommand(name: string, description: string): Command;
  /** A name for several commands */
  group(name: string, description: string): Command;
}

export function createCommandLine(environment: NodeJS.ProcessEnv): CommandLine {
  const program = new Command('memrelay')
    .description('Encrypted memory for AI agents, with keys that belong to their owner')
    .showHelpAfterError(usageHint)
    .exitOverride()
    .addHelpText('after', `\n${exitCodesHelp}`);
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
    group: (name, description) =>
      program.command(name).description(description).showHelpAfterError(usageHint),
  };
  return line;
}
