import { Command } from 'commander';
import { up } from './commands/up.ts';
import { createOutput, type Output } from './output.ts';

/** The `memrelay` command line. Every command takes `--json` for programs. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('memrelay')
    .description('Encrypted memory for AI agents, with keys that belong to their owner')
    .showHelpAfterError()
    .exitOverride();
  const command = (name: string, description: string): Command =>
    program.command(name).description(description).option('--json', 'one JSON value a line, for programs');
  const outputOf = (options: { json?: boolean }): Output => createOutput({ json: options.json === true });

  command('up', 'start the local system: network, blob store, relayer').action((options) =>
    up(outputOf(options), environment),
  );
  return program;
}
