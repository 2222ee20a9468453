import type { Db } from '../../base/db/db.ts';
import { passes, type TagTokens } from '../../index/context-tokens.ts';
import type { Match } from '../rows/match.ts';
import type { NamespaceSize } from '../rows/search-rows.ts';
import { countLabelled } from '../rows/tag-filter.ts';
import type { Relevance } from './fusion.ts';

/** Leaves out expired memories, and adjacent ones that do not pass the filter. */
export function returnable(
  found: readonly Relevance[],
  tags: TagTokens | undefined,
  nowMs = Date.now(),
): Relevance[] {
  return found.filter(({ match }) => isReturnable(match, tags, nowMs));
}

/** Whether a memory has not expired and passes the filter. */
export function isReturnable(
  { expiresAt, tags: own = noTags }: Pick<Match, 'expiresAt' | 'tags'>,
  tags: TagTokens | undefined,
  nowMs = Date.now(),
): boolean {
  return !(expiresAt && expiresAt.getTime() <= nowMs) && passes(tags, own);
}

const noTags: ReadonlySet<string> = new Set();

/** The size of the part of a namespace that passes the filter: how rare a word is depends on it. */
export async function filteredSize(
  db: Db,
  accountId: Buffer,
  namespace: string,
  size: NamespaceSize,
  tags: TagTokens | undefined,
): Promise<NamespaceSize> {
  const texts = tags && (await countLabelled(db, accountId, namespace, tags));
  return texts === undefined ? size : { ...size, texts, vectors: Math.min(size.vectors, texts) };
}
