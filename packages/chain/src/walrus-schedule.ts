import { bcs } from '@mysten/sui/bcs';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import { stakingStateBcs } from './walrus-state-bcs.ts';
import { readSystemObject } from './walrus-system.ts';

/** When storage epochs begin. */
export interface WalrusSchedule {
  /** The current epoch */
  epoch: number;
  /** When it began, ms since 1970; undefined during the change to it, or if the network does not report it */
  startedAtMs: number | undefined;
  durationMs: number;
}

/**
 * Reads the schedule from the staking object. Later epochs may begin after their scheduled time, because the committee may
 * take longer to change. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readWalrusSchedule(
  chain: ChainClient,
  stakingObjectId: string,
): Promise<WalrusSchedule> {
  // The staking object has the same layout as the system object
  const { stateVersion } = await readSystemObject(chain, stakingObjectId);
  const { dynamicField } = await chain.call((sui, signal) =>
    sui.core.getDynamicField({
      parentId: stakingObjectId,
      name: { type: 'u64', bcs: bcs.u64().serialize(stateVersion).toBytes() },
      signal,
    }),
  );
  try {
    const { epoch, epoch_duration, epoch_state } = stakingStateBcs.parse(dynamicField.value.bcs);
    const since = Number(epoch_state.EpochChangeDone ?? epoch_state.NextParamsSelected ?? 0);
    return { epoch, startedAtMs: since > 0 ? since : undefined, durationMs: Number(epoch_duration) };
  } catch (cause) {
    throw new ChainUnavailableError('the Walrus staking object could not be parsed', { cause });
  }
}
