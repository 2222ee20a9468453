import { missing } from './needs.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

export interface Result {
  row: Row;
  outcome: 'holds' | 'fails' | 'skipped';
  /** Why it failed or was skipped */
  reason?: string;
}

function reasonToSkip(session: Session, { only, needs }: Row): string | undefined {
  if (only === 'ours' && !session.ours) return 'ours: the real services differ here';
  if (only === 'walrus' && session.ours) return 'walrus: this store differs here on purpose';
  return needs.map((need) => missing(session, need)).find((reason) => reason !== undefined);
}

/**
 * Runs one row. A failure of the service becomes a result, not an exception. Rows must run one after another,
 * because they interfere with each other.
 */
export async function runRow(session: Session, row: Row): Promise<Result> {
  const skip = reasonToSkip(session, row);
  if (skip !== undefined) return { row, outcome: 'skipped', reason: skip };
  try {
    await row.check(session);
    return { row, outcome: 'holds' };
  } catch (error) {
    return { row, outcome: 'fails', reason: (error as Error).message };
  }
}
