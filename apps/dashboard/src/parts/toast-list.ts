import type { IconName } from './icon.tsx';

export interface Toast {
  id: string;
  icon: IconName | 'busy';
  title: string;
  about?: string | undefined;
  actions?: readonly { text: string; onPress: () => void }[];
  /** Length of the undo window, shown as a bar that runs out */
  windowMs?: number;
}

const most = 3;

/**
 * Adds a toast, or replaces the one with the same id. The oldest of more than three is dropped, but never one that can still
 * be undone: without it, the action could not be undone.
 */
export function withToast(all: readonly Toast[], toast: Toast): readonly Toast[] {
  if (all.some(({ id }) => id === toast.id)) return all.map((each) => (each.id === toast.id ? toast : each));
  const closable = all.filter(({ windowMs }) => windowMs === undefined);
  const dropped = new Set(closable.slice(0, Math.max(0, all.length + 1 - most)));
  return [...all.filter((each) => !dropped.has(each)), toast];
}
