import { bcs } from '@mysten/sui/bcs';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import { stakingStateBcs } from './walrus-state-bcs.ts';
import { readSystemObject } from './walrus-system.ts';

/** When storage epochs begin. */
export interface WalrusSchedule {
  /** The current epoch */
  epoch: number;
  /** When it began, ms since 1970; undefined while the network is changing to it, or does not say */
  startedAtMs: number | undefined;
  durationMs: number;
}

/**
 * Reads the schedule from the staking object. Later epochs begin at the earliest when the schedule says: the committee may
 * take longer to change. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readWalrusSchedule(
  chain: ChainClient,
  stakingObjectId: string,
): Promise<WalrusSchedule> {
  // Laid out as the system object is
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
