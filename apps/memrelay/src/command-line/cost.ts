import { Option } from 'commander';
import { runCommand } from '../terminal/run-command.ts';
import type { CommandLine } from './command-line.ts';

export function registerCost(line: CommandLine): void {
  line
    .command('cost', 'what memories cost on a network at current prices, alone and in quilts')
    .addOption(
      new Option('--network <name>', 'mainnet, testnet or localnet').env('CHAIN_NETWORK').default('mainnet'),
    )
    .addOption(new Option('--rpc <url>', "full node (default: the network's)").env('CHAIN_RPC_URL'))
    .option('--memories <n>', 'how many', '1000')
    .option('--bytes <n>', 'length of a text in UTF-8', '300')
    .option('--epochs <n>', "how long they are stored (default: the network's STORE_EPOCHS)")
    .option('--quilt <n>', 'memories in a quilt (default: 100, or as many as fit)')
    .action((options) =>
      runCommand(options, async (output) => (await import('../commands/cost.ts')).cost(output, options)),
    );
}
