import { randomUUID } from 'node:crypto';

/** The answers of `/api/memories` for an invented account, without a relayer. */
export interface ListAnswers {
  /** The body of the page after this cursor */
  page(cursor: string | undefined): string;
  /** The body of `/api/memories/{id}` */
  memory(id: string): string;
}

const first = Date.UTC(2026, 0, 1);

/** @param count memories of the account, newest first; @param perPage of them in each answer */
export function listAnswers(count: number, perPage: number): ListAnswers {
  const ids: string[] = Array.from({ length: count }, () => randomUUID());
  const entry = (index: number) => ({
    id: ids[index],
    blob_id: Buffer.alloc(32, index % 256).toString('base64url'),
    namespace: index % 3 === 0 ? 'work' : 'home',
    created_at: new Date(first - index * 60_000).toISOString(),
    size: 1_600 + (index % 5) * 400,
    importance: 0.5,
    expires_epoch: 54,
  });
  return {
    page(cursor) {
      const start = Number(cursor ?? 0);
      const end = Math.min(count, start + perPage);
      const memories = Array.from({ length: end - start }, (_, index) => entry(start + index));
      return JSON.stringify({ memories, ...(end < count ? { next_cursor: String(end) } : {}) });
    },
    memory: (id) =>
      JSON.stringify({
        ...entry(Math.max(0, ids.indexOf(id))),
        text: `Memory ${id} of an invented account, long enough to fill most of a line of the list.`,
        tags: ['bench'],
      }),
  };
}
