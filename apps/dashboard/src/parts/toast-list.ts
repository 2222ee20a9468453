interface Listed {
  id: string;
  /** Length of the time in which it can be undone, milliseconds; undefined if it cannot */
  windowMs?: number;
}

const most = 3;

/**
 * Adds a toast, or replaces the one with the same id. The oldest of more than three is dropped, but never one that can still
 * be undone: without it, the action could not be undone.
 */
export function withToast<Toast extends Listed>(all: readonly Toast[], toast: Toast): readonly Toast[] {
  if (all.some(({ id }) => id === toast.id)) return all.map((each) => (each.id === toast.id ? toast : each));
  const closable = all.filter(({ windowMs }) => windowMs === undefined);
  const dropped = new Set(closable.slice(0, Math.max(0, all.length + 1 - most)));
  return [...all.filter((each) => !dropped.has(each)), toast];
}
