import { useTexts } from '../parts/texts-context.tsx';
import type { TextKey } from '../texts/en.ts';

/** What of a list entry or a memory decides it */
export interface Stateful {
  lost?: string | undefined;
  pending?: boolean | undefined;
  supersededBy?: string | undefined;
}

type State = 'stored' | 'pending' | 'lost' | 'replaced';

function stateOf(entry: Stateful): State {
  if (entry.lost !== undefined) return 'lost';
  if (entry.pending) return 'pending';
  return entry.supersededBy === undefined ? 'stored' : 'replaced';
}

/** Whether a memory is stored, being stored, replaced or unreadable. */
export function MemoryState({ entry }: { entry: Stateful }) {
  const { t } = useTexts();
  const state = stateOf(entry);
  return <span className={`state ${state}`}>{t(`state.${state}` satisfies TextKey)}</span>;
}
