import type { RememberItem } from '@memrelay/protocol/memories';
import type { Caller } from '../auth/caller.ts';
import type { RelayerContext } from '../context.ts';
import type { RepeatKey } from '../http/repeat-key.ts';
import type { StageTimes } from '../http/stage-times.ts';
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
