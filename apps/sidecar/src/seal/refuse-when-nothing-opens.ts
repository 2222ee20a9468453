import { ApiError } from '@memrelay/protocol/errors';
import type { UnwrapResult } from './seal-tasks.ts';

/** Throws `decrypt_denied` or `decrypt_unavailable` when there are keys and none of them could be opened. */
export function refuseWhenNothingOpens(keys: readonly UnwrapResult[]): void {
  if (keys.length === 0 || keys.some((key) => key.ok)) return;
  const reasons = new Set(keys.map((key) => (key.ok ? '' : key.reason)));
  if (reasons.has('unavailable')) throw new ApiError('decrypt_unavailable');
  if (reasons.has('denied')) throw new ApiError('decrypt_denied');
}
