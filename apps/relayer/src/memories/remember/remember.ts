import type { RememberItem } from '@memrelay/protocol/memories';
import type { Caller } from '../../accounts/caller.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import type { RelayerContext } from '../../context.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import { acceptMemories } from './accept-memories.ts';

/** Accepts texts as they are. Returns the ids of their jobs, in the order of the items. */
export function remember(
  context: RelayerContext,
  caller: Caller,
  items: readonly RememberItem[],
  repeatKey: RepeatKey | undefined,
  stages: StageTimes,
): Promise<string[]> {
  return acceptMemories(context, caller, items, { repeatKey, stages, answerOf: (jobIds) => jobIds });
}
