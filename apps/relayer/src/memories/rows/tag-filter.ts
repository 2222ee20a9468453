import type { Db } from '../../base/db/db.ts';
import type { TagTokens } from '../../index/context-tokens.ts';
import { tokenList } from '../../index/keyword-columns.ts';

/** Parts of a statement that leave out memories by their tags. `$1` is the account. */
export interface TagFilterSql {
  /** A common table expression with a comma after it; empty without a filter */
  with: string;
  /** A condition on a memory's id that begins with AND; empty without a filter */
  where(id: string): string;
  /** True if few memories pass: they are looked up one by one, instead of reading all others */
  few: boolean;
}

export const noTagFilter: TagFilterSql = { with: '', where: () => '', few: false };

/** Maximum number of memories that are looked up one by one */
export const fewLabelled = 1_000;

/** Tokens are numbers, so they are part of the statement. */
const literal = (tokens: readonly bigint[]): string => `'${tokenList(tokens)}'::bigint[]`;

/** Tags that a memory must have; undefined if the filter only names tags that it must not have. */
function required({ any, all }: TagTokens): string | undefined {
  const conditions = [
    ...(any ? [`tag_tokens && ${literal(any)}`] : []),
    ...(all.length > 0 ? [`tag_tokens @> ${literal(all)}`] : []),
  ];
  return conditions.length > 0 ? conditions.join(' AND ') : undefined;
}

/**
 * Ids of memories by their tags. Tokens differ between namespaces, so the index on them alone leads to the right rows;
 * `OFFSET 0` keeps the planner from using the namespace's index instead.
 */
const ids = (condition: string, namespace = '$2'): string => `
  SELECT id FROM (
    SELECT id, account_id, namespace, state FROM memory
    WHERE tag_tokens IS NOT NULL AND ${condition} OFFSET 0) AS labelled
  WHERE account_id = $1 AND namespace = ${namespace} AND state <> 'failed'`;

/**
 * `passing`: how many memories pass, if known. `IS TRUE` keeps the planner from joining the ids, which takes minutes if it
 * thinks that they are few: they are hashed once instead.
 */
export function tagFilterSql(
  filter: TagTokens | undefined,
  passing = Number.POSITIVE_INFINITY,
): TagFilterSql {
  if (!filter) return noTagFilter;
  const has = required(filter);
  const hasNot = filter.not.length > 0 ? `tag_tokens && ${literal(filter.not)}` : undefined;
  if (has === undefined)
    return {
      with: `labelled_ids AS MATERIALIZED (${ids(hasNot ?? 'false')}),`,
      where: (id) => `AND ${id} NOT IN (SELECT id FROM labelled_ids)`,
      few: false,
    };
  return {
    with: `labelled_ids AS MATERIALIZED (${ids(hasNot ? `${has} AND NOT ${hasNot}` : has)}),`,
    where: (id) => `AND (${id} IN (SELECT id FROM labelled_ids)) IS TRUE`,
    few: passing <= fewLabelled,
  };
}

/** A row's own tags, for a statement that reads its rows in order until it has enough; begins with AND. */
export function ownTags({ any, all, not }: TagTokens): string {
  const has = required({ any, all, not });
  const hasNot = not.length > 0 ? `AND (tag_tokens && ${literal(not)}) IS NOT TRUE` : '';
  return `${has === undefined ? '' : `AND ${has}`} ${hasNot}`;
}

/** Number of memories that pass the filter, at most `upTo`; undefined if it only leaves out some. */
export async function countLabelled(
  db: Db,
  accountId: Buffer,
  namespace: string,
  filter: TagTokens,
  upTo?: number,
): Promise<number | undefined> {
  if (required(filter) === undefined) return undefined;
  const { with: labelled } = tagFilterSql(filter);
  const { rows } = await db.query<{ count: number }>(
    `WITH ${labelled.slice(0, -1)} SELECT count(*)::int AS count FROM (SELECT 1 FROM labelled_ids LIMIT $3::int) counted`,
    [accountId, namespace, upTo ?? null],
  );
  return rows[0]!.count;
}
