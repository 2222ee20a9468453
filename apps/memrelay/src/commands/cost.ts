import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { coinAmount } from '@memrelay/chain/coin-amount';
import { maxPatches } from '@memrelay/chain/quilt-size';
import { costAlone, costQuilted, type StorageCost, usualPerQuilt } from '@memrelay/chain/storage-cost';
import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import { limits } from '@memrelay/protocol/limits';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import { envelopeBytes } from '../cost/envelope-bytes.ts';
import { readTariff } from '../cost/read-tariff.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted } from '../terminal/plain-text.ts';

export interface CostOptions {
  network: string;
  rpc?: string;
  memories: string;
  bytes: string;
  epochs?: string;
  quilt?: string;
}

/** Shows what memories cost on a network at current prices, each alone and in quilts. */
export async function cost(output: Output, options: CostOptions): Promise<void> {
  const network = networkOf(options.network);
  const memories = whole('--memories', options.memories, 1, 1_000_000_000);
  const textBytes = whole('--bytes', options.bytes, 1, limits.textBytes);
  const rpcUrl = options.rpc ?? networkDefaults[network].chainRpcUrl;
  const tariff = await tariffOf(network, rpcUrl);
  const epochs = whole(
    '--epochs',
    options.epochs ?? String(networkDefaults[network].storeEpochs),
    1,
    tariff.maxEpochsAhead,
  );
  const perQuilt = whole(
    '--quilt',
    options.quilt ?? String(usualPerQuilt(tariff.nShards)),
    1,
    maxPatches(tariff.nShards),
  );
  const envelope = envelopeBytes(textBytes);
  const alone = costAlone(memories, envelope, epochs, tariff);
  const quilted = costQuilted(memories, envelope, epochs, perQuilt, tariff);
  output.result({
    network,
    epoch: tariff.epoch,
    shards: tariff.nShards,
    storage_price_frost: String(tariff.storage),
    write_price_frost: String(tariff.write),
    memories,
    text_bytes: textBytes,
    envelope_bytes: envelope,
    epochs,
    alone: costJson(alone),
    quilted: { per_quilt: perQuilt, ...costJson(quilted) },
  });
  output.line(
    `${counted(memories, 'memory', 'memories')} of ${counted(textBytes, 'byte', 'bytes')} (envelopes of ${envelope}) for ${counted(epochs, 'epoch', 'epochs')} on ${network}`,
  );
  output.line(
    `Prices of epoch ${tariff.epoch}, from the chain: ${tariff.storage} FROST a MiB and epoch, ${tariff.write} FROST a MiB once; ${tariff.nShards} shards`,
  );
  output.line('');
  for (const line of columns(rows(alone, quilted, perQuilt))) output.line(line);
}

function rows(alone: StorageCost, quilted: StorageCost, perQuilt: number): string[][] {
  const row = (name: string, show: (cost: StorageCost) => string): string[] => [
    name,
    show(alone),
    show(quilted),
  ];
  return [
    ['', 'each alone', `quilts of ${perQuilt}`],
    row('Blobs', ({ blobs }) => String(blobs)),
    row('Encoded size', ({ encodedBytes }) => `${(Number(encodedBytes) / 2 ** 20).toFixed(1)} MiB`),
    row('of it the minimum of a blob', ({ minimumShare }) => `${(minimumShare * 100).toFixed(1)} %`),
    row('Storage', ({ storageFrost }) => `${coinAmount(storageFrost)} WAL`),
    row('Writing', ({ writeFrost }) => `${coinAmount(writeFrost)} WAL`),
    row('In all', (cost) => `${coinAmount(cost.storageFrost + cost.writeFrost)} WAL`),
    row('Gas (assumed, without a tip)', ({ gasMist }) => `${coinAmount(gasMist)} SUI`),
  ];
}

function costJson(cost: StorageCost) {
  return {
    blobs: cost.blobs,
    encoded_bytes: String(cost.encodedBytes),
    minimum_share: cost.minimumShare,
    storage_frost: String(cost.storageFrost),
    write_frost: String(cost.writeFrost),
    total_frost: String(cost.storageFrost + cost.writeFrost),
    assumed_gas_mist: String(cost.gasMist),
  };
}

async function tariffOf(network: Network, rpcUrl: string): Promise<WalrusTariff> {
  if (!URL.canParse(rpcUrl)) throw new ExitError(exitCodes.usage, '--rpc must be an http or https URL.');
  // The rest of the URL may contain the provider's API key
  const { origin } = new URL(rpcUrl);
  try {
    return await readTariff(network, rpcUrl);
  } catch (error) {
    if (error instanceof ChainRejectedError)
      throw new ExitError(
        exitCodes.usage,
        `There is no Walrus of ${network} at ${origin}: name the right one with --network and --rpc.`,
        { cause: error },
      );
    if (error instanceof ChainUnavailableError || network === 'localnet')
      throw new ExitError(
        exitCodes.unavailable,
        `No node of ${network} answers at ${origin}. Name one with --rpc URL, or another network with --network.`,
        { code: 'network_error', cause: error },
      );
    throw error;
  }
}

function networkOf(name: string): Network {
  if (Object.hasOwn(networkDefaults, name)) return name as Network;
  throw new ExitError(exitCodes.usage, '--network must be mainnet, testnet or localnet.');
}

function whole(option: string, value: string, min: number, max: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ExitError(exitCodes.usage, `${option} must be a whole number from ${min} to ${max}.`);
}
