import { shownScore } from '@memrelay/sdk/recall-score';
import type { RecallHit } from '@memrelay/sdk/types';
import { z } from 'zod';
import { quoted } from './quoted.ts';
import { fitTexts } from './text-room.ts';

/** A recalled memory, as results show it. */
export const hitFields = z.object({
  id: z.string(),
  text: z.string(),
  score: z.number().describe('Higher is better'),
  created_at: z.string().optional(),
  blob_id: z.string().optional(),
  still_saving: z.literal(true).optional(),
  replaced_by: z.string().optional().describe('Id of a newer memory'),
  truncated: z.literal(true).optional(),
});
export type ShownHit = z.output<typeof hitFields>;

/** Hits with scores rounded to three decimals and texts cut to fit into one result. */
export function shownHits(hits: readonly RecallHit[]): ShownHit[] {
  const texts = fitTexts(hits.map(({ text }) => text));
  return hits.map(({ id, score, distance, createdAt, blobId, pending, supersededBy }, i) => ({
    id,
    ...texts[i]!,
    score: shownScore({ score, distance }),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
    ...(blobId === undefined ? {} : { blob_id: blobId }),
    ...(pending ? { still_saving: true as const } : {}),
    ...(supersededBy === undefined ? {} : { replaced_by: supersededBy }),
  }));
}

/** Two lines per hit, numbered from 1: the quoted text, then its metadata. */
export function hitLines(hits: readonly ShownHit[]): string[] {
  return hits.flatMap((hit, i) => {
    const facts = [
      `score ${hit.score.toFixed(3)}`,
      hit.created_at === undefined ? '' : `saved ${shownTime(hit.created_at)}`,
      `id ${hit.id}`,
      hit.still_saving ? 'still being saved' : '',
      hit.replaced_by === undefined ? '' : `replaced by ${hit.replaced_by}`,
      hit.truncated ? 'cut: recall it alone, with limit 1' : '',
    ];
    return [`${i + 1}. ${quoted(hit.text)}`, `   ${facts.filter((fact) => fact !== '').join(' · ')}`];
  });
}

/** An RFC 3339 time in readable form, to the minute. */
export function shownTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** A line about matches that could not be read, if there were any. */
export function unreadableLines(count: number | undefined): string[] {
  if (!count) return [];
  return [
    count === 1
      ? 'One match could not be read and was skipped; a later call may return it.'
      : `${count} matches could not be read and were skipped; a later call may return them.`,
  ];
}

/** "1 memory", "3 memories" */
export function countedMemories(count: number): string {
  return count === 1 ? '1 memory' : `${count} memories`;
}
