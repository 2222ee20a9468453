import type { ContextOptions } from './wire/types.ts';

/** The context fields of a write as the relayer takes them. */
export function contextBody({
  session,
  speaker,
  happenedAt,
  tags,
  metadata,
  expiresAt,
}: { [Name in keyof ContextOptions]: ContextOptions[Name] | null }): Record<string, unknown> {
  return {
    session,
    speaker,
    happened_at: timeText(happenedAt),
    tags,
    metadata,
    expires_at: timeText(expiresAt),
  };
}

function timeText(time: string | Date | null | undefined): string | null | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
