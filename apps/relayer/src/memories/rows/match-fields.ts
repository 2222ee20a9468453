import { unpack } from '../../index/context-tokens.ts';
import type { Match } from './match.ts';

/** Columns of a memory that a search returns for its context fields: NULL in most namespaces. */
export interface FieldColumns {
  context_tokens?: Buffer | null;
  /** An array literal */
  tags?: string | null;
  expires_at?: Date | null;
}

/** Part of the select list of a search, without the comma. */
export const fieldColumns = (memory: string): string =>
  `${memory}.context_tokens, ${memory}.tag_tokens::text AS tags, ${memory}.expires_at`;

export function fieldsOf({
  context_tokens: packed,
  tags,
  expires_at: expiresAt,
}: FieldColumns): Pick<Match, 'context' | 'tags' | 'expiresAt'> {
  return {
    ...(packed ? { context: unpack(packed) } : {}),
    ...(tags ? { tags: new Set(tags.slice(1, -1).split(',')) } : {}),
    ...(expiresAt ? { expiresAt } : {}),
  };
}
