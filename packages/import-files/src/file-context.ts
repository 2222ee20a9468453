import { sealedContext } from '@memrelay/protocol/context-fields';
import type { ContextOptions } from '@memrelay/sdk/types';

/** What a file says about a memory, as the SDK takes it. */
export type FileContext = Omit<ContextOptions, 'happenedAt' | 'expiresAt'> & {
  happenedAt?: string;
  expiresAt?: string;
};

/** At most what a field may have. */
const short = (text: string): string => [...text.trim()].slice(0, 128).join('');

/** `{ context }`, or nothing where the file says nothing. `date` is as a person or a program has written it. */
export function fileContext({
  session,
  speaker,
  date,
}: {
  session?: string | undefined;
  speaker?: string | undefined;
  date?: string | undefined;
}): { context?: FileContext } {
  const happenedAt = timeOf(date);
  const context: FileContext = {
    ...(session?.trim() ? { session: short(session) } : {}),
    ...(speaker?.trim() ? { speaker: short(speaker) } : {}),
    ...(happenedAt === undefined ? {} : { happenedAt }),
  };
  return Object.keys(context).length > 0 ? { context } : {};
}

/** RFC 3339 of a date that names a year and a day; `1:56 pm on 8 May, 2023` too. Times without an offset are in UTC. */
function timeOf(date: string | undefined): string | undefined {
  const text = date?.trim() ?? '';
  if (!/\d{4}/.test(text)) return undefined;
  const [, time, rest] = /^(.*) on (.*)$/.exec(text) ?? [];
  const plain = rest === undefined ? text : `${rest} ${time}`;
  const hasOffset = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/i.test(plain);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(plain);
  const iso = /^\d{4}-\d{2}-\d{2}[ T]/.test(plain) ? plain.replace(' ', 'T') : plain;
  const ms = Date.parse(
    hasOffset || isDay ? iso : iso === plain && !iso.includes('T') ? `${iso} UTC` : `${iso}Z`,
  );
  if (Number.isNaN(ms)) return undefined;
  const year = new Date(ms).getUTCFullYear();
  return year >= 1970 && year < 2100 ? new Date(ms).toISOString() : undefined;
}

/** The fields of a line that `memrelay export --open` wrote. */
export function exportedContext(line: Readonly<Record<string, unknown>>): FileContext {
  const result = sealedContext.safeParse(line);
  if (!result.success) return {};
  const { happened_at: happenedAt, expires_at: expiresAt, session, speaker, tags, metadata } = result.data;
  return {
    ...(session === undefined ? {} : { session }),
    ...(speaker === undefined ? {} : { speaker }),
    ...(happenedAt === undefined ? {} : { happenedAt }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
