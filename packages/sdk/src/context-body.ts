import type { ContextOptions } from './wire/types.ts';

/** The context fields of a write as the relayer takes them. */
export function contextBody({
  session,
  speaker,
  happenedAt,
  tags,
  metadata,
  expiresAt,
}: ContextOptions): Record<string, unknown> {
  return {
    session,
    speaker,
    happened_at: timeText(happenedAt),
    tags,
    metadata,
    expires_at: timeText(expiresAt),
  };
}

function timeText(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
