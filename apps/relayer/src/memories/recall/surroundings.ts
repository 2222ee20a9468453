import type { HitContext, RecallRequest, SurroundingMemory } from '@memrelay/protocol/memories';
import type { Db } from '../../base/db/db.ts';
import type { TagTokens } from '../../index/context-tokens.ts';
import { readSurroundings, type Surrounding } from '../rows/surrounding-rows.ts';
import { type RankedMatch, sizeOf } from './ranking.ts';
import { isReturnable } from './returnable.ts';

/** What was stored before and after the hits of a recall. */
export interface Surroundings {
  /** The memories that are not hits themselves, each once, to be opened together with the hits */
  others: Pick<Surrounding, 'match'>[];
  /** Bytes of envelopes that the answer needs for them: a memory counts for each hit that it is shown with */
  bytes: number;
  /** The `context` of the hit with this index, from the texts that could be read, by memory id */
  contextOf(index: number, texts: ReadonlyMap<string, string>): { context?: HitContext };
}

const none: Surroundings = { others: [], bytes: 0, contextOf: () => ({}) };

/**
 * Finds the memories around the hits that a request asks for (`context`). The nearest ones of the best hits come first;
 * what does not fit into `room` bytes is left out, and so is what has expired or does not pass `tags`.
 */
export async function surroundingsOf(
  db: Db,
  accountId: Buffer,
  request: Pick<RecallRequest, 'namespace' | 'context' | 'include_pending'>,
  hits: readonly Pick<RankedMatch, 'match'>[],
  room: number,
  tags?: TagTokens,
): Promise<Surroundings> {
  const { context = 0, namespace, include_pending: includePending } = request;
  if (context === 0 || hits.length === 0) return none;
  const ids = hits.map(({ match }) => match.id);
  const found = await readSurroundings(db, { accountId, namespace, includePending }, ids, context);
  const allowed = found.filter(({ match }) => isReturnable(match, tags));
  return surroundingsWithin(ids, allowed, room);
}

/** `found` names hits by their index in `ids`. */
export function surroundingsWithin(
  ids: readonly string[],
  found: readonly Surrounding[],
  room: number,
): Surroundings {
  const shown: Surrounding[] = [];
  let left = room;
  for (const each of found) {
    if (each.match.size > left) break;
    left -= each.match.size;
    shown.push(each);
  }
  const isHit = new Set(ids);
  const others = new Map(shown.map((each) => [each.match.id, each]));
  for (const id of isHit) others.delete(id);
  return {
    others: [...others.values()],
    bytes: sizeOf(shown),
    contextOf(index, texts) {
      const around = (side: Surrounding['side']): SurroundingMemory[] =>
        shown.flatMap(({ of, side: its, match: { id, createdAt } }) => {
          const text = of === index && its === side ? texts.get(id) : undefined;
          return text === undefined ? [] : [{ id, text, created_at: createdAt.toISOString() }];
        });
      // Nearest first as found; in the order of time as shown
      return { context: { before: around('before').reverse(), after: around('after') } };
    },
  };
}
