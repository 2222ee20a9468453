import { Argument } from 'commander';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { variableHelp } from './variable-help.ts';

export function registerRelayer(line: CommandLine): void {
  line
    .command('relayer', 'run a relayer with the settings of the environment, for operators')
    .addArgument(
      new Argument(
        '[action]',
        'start it, only create and update its tables, prepare a database that was restored, or check everything',
      )
        .choices(['start', 'migrate', 'after-restore', 'doctor'])
        .default('start'),
    )
    .option('--config <path>', 'read variables from this file; those of the environment take precedence')
    .option('--stopped-at <time>', 'after-restore: when the last relayer stopped (default: now)')
    .addHelpText('after', () => variableHelp())
    .action((action, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/relayer.ts')).relayer(output, action, options),
      ),
    );
}
