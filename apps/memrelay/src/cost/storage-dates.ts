import { createChainClient } from '@memrelay/chain/chain-client';
import { readWalrusSchedule, type WalrusSchedule } from '@memrelay/chain/walrus-schedule';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { readLocalnetInfo } from '../system/network-info.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';

/** The expected start of a storage epoch; undefined if it is unknown. */
export type DateOfEpoch = (epoch: number) => Date | undefined;

/** How long a list waits for dates, which are only slightly more useful than the epochs. */
const timeoutMs = 3_000;

/** Dates of storage epochs on the relayer's network. Never throws: without a chain there are no dates. */
export async function storageDates(client: Pick<MemRelay, 'config'>): Promise<DateOfEpoch> {
  try {
    const { network, suiRpcUrl } = await client.config();
    return Object.hasOwn(networkDefaults, network)
      ? datesOf(await readSchedule(network as Network, suiRpcUrl))
      : () => undefined;
  } catch {
    return () => undefined;
  }
}

/** Dates of epochs by the schedule of one network. */
export async function networkDates(network: string, rpcUrl: string): Promise<DateOfEpoch> {
  return storageDates({ config: async () => ({ network, suiRpcUrl: rpcUrl }) } as Pick<MemRelay, 'config'>);
}

export function datesOf({ epoch: current, startedAtMs, durationMs }: WalrusSchedule): DateOfEpoch {
  return (epoch) => {
    if (startedAtMs === undefined) return undefined;
    const date = new Date(startedAtMs + (epoch - current) * durationMs);
    return Number.isNaN(date.getTime()) ? undefined : date;
  };
}

async function readSchedule(network: Network, rpcUrl: string): Promise<WalrusSchedule> {
  const { walrusStakingObjectId } = networkDefaults[network];
  if (walrusStakingObjectId !== undefined) {
    const chain = createChainClient({ network, baseUrl: rpcUrl, timeoutMs });
    return readWalrusSchedule(chain, walrusStakingObjectId);
  }
  const { epoch, epochStartMs, epochDurationMs } = (await readLocalnetInfo(rpcUrl)).walrus;
  return { epoch, startedAtMs: epochStartMs, durationMs: epochDurationMs };
}

/**
 * The epoch of `--until`: the number, or the last one that begins by the end of that day (UTC). Throws `ExitError`.
 */
export function untilEpoch(text: string, dateOf: DateOfEpoch): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const end = Date.parse(`${text}T23:59:59.999Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(end))
    throw new ExitError(
      exitCodes.usage,
      '--until takes a date such as 2027-01-31, or a storage epoch, as `npx memrelay list` shows both.',
    );
  const [zero, one] = [dateOf(0), dateOf(1)];
  if (!zero || !one)
    throw new ExitError(
      exitCodes.usage,
      '--until takes a storage epoch here: the dates of epochs are not known for this network.',
    );
  return Math.floor((end - zero.getTime()) / (one.getTime() - zero.getTime()));
}

/** `2027-01-31 (epoch 54)`, or `epoch 54` when the date is unknown. */
export function epochText(epoch: number, dateOf: DateOfEpoch): string {
  const date = dateOf(epoch)?.toISOString().slice(0, 10);
  return date === undefined ? `epoch ${epoch}` : `${date} (epoch ${epoch})`;
}
