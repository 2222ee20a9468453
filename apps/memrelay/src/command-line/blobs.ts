import type { Command } from 'commander';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';
import { ownerCommand } from './owner-command.ts';

export function registerBlobs(line: CommandLine): void {
  const blobs = line.group('blobs', "the wallet's blobs on chain");
  const load = () => import('../commands/blobs.ts');
  const all = (command: Command): Command =>
    command
      .argument('[ids...]', 'ids of memories, blobs or objects')
      .option('--all', 'every blob of the wallet');
  ownerCommand(blobs, 'list', 'the blobs this wallet owns').action((options) =>
    runCommand(options, async (output) => (await load()).listBlobs(output, options, line.environment)),
  );
  all(ownerCommand(blobs, 'delete', 'delete blobs for good'))
    .option('--with-memories', 'also blobs that contain several memories, which are then lost')
    .action((ids, options) =>
      runCommand(options, async (output) =>
        (await load()).deleteBlobs(output, ids, options, line.environment),
      ),
    );
  all(ownerCommand(blobs, 'extend', 'extend blobs, paid with WAL'))
    .option('--until <when>', 'blobs that expire by this date or storage epoch')
    .requiredOption('--epochs <n>', 'by how many epochs')
    .action((ids, options) =>
      runCommand(options, async (output) =>
        (await load()).extendBlobs(output, ids, options, line.environment),
      ),
    );
}
