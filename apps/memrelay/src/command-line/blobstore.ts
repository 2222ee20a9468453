import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerBlobstore(line: CommandLine): void {
  line
    .command('blobstore', 'start a Walrus publisher and aggregator alone: no chain, no wallet, no Docker')
    .usage('[flags of the blob store]')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[flags...]')
    .action((flags, options) =>
      runCommand(options, async (output) =>
        (await import('../commands/blobstore.ts')).blobstore(output, flags, line.environment),
      ),
    );
}
