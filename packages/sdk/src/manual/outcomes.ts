import { MemRelayError } from '../wire/errors.ts';
import { mapBounded } from './bounded.ts';
import type { ManualAccepted, ManualOutcome } from './manual-types.ts';

/** Parallel uploads of one call. Limited because each may hold several copies of a one-megabyte memory. */
const writesAtOnce = 4;

/**
 * Stores several texts with separate outcomes, in their order. With an `idempotencyKey` the second text uses that key with
 * `.1` appended, and so on.
 */
export function rememberEach(
  texts: readonly string[],
  idempotencyKey: string | undefined,
  remember: (text: string, idempotencyKey: string | undefined) => Promise<ManualAccepted>,
): Promise<ManualOutcome[]> {
  return mapBounded(texts, writesAtOnce, async (text, i): Promise<ManualOutcome> => {
    const key = idempotencyKey === undefined || i === 0 ? idempotencyKey : `${idempotencyKey}.${i}`;
    try {
      return await remember(text, key);
    } catch (error) {
      if (error instanceof MemRelayError) return { status: 'failed', error };
      throw error;
    }
  });
}
