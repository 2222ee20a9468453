import type { Db } from '../../base/db/db.ts';
import type { TagTokens } from '../../index/context-tokens.ts';
import { tokenList } from '../../index/keyword-columns.ts';

/** Parts of a statement that leave out memories by their tags. `$1` is the account. */
export interface TagFilterSql {
  /** A common table expression with a comma after it; empty without a filter */
  with: string;
  /** A condition on a memory's id that begins with AND; empty without a filter */
  where(id: string): string;
}

export const noTagFilter: TagFilterSql = { with: '', where: () => '' };

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
const ids = (condition: string, namespace: string): string => `
  SELECT id FROM (
    SELECT id, account_id, namespace, state FROM memory
    WHERE tag_tokens IS NOT NULL AND ${condition} OFFSET 0) AS labelled
  WHERE account_id = $1 AND namespace = ${namespace} AND state <> 'failed'`;

/** `namespace`: the parameter that holds its name. */
export function tagFilterSql(filter: TagTokens | undefined, namespace = '$2'): TagFilterSql {
  if (!filter) return noTagFilter;
  const has = required(filter);
  const hasNot = filter.not.length > 0 ? `tag_tokens && ${literal(filter.not)}` : undefined;
  if (has === undefined)
    return {
      with: `labelled_ids AS MATERIALIZED (${ids(hasNot ?? 'false', namespace)}),`,
      where: (id) => `AND ${id} NOT IN (SELECT id FROM labelled_ids)`,
    };
  return {
    with: `labelled_ids AS MATERIALIZED (${ids(hasNot ? `${has} AND NOT ${hasNot}` : has, namespace)}),`,
    where: (id) => `AND ${id} IN (SELECT id FROM labelled_ids)`,
  };
}

/** Number of memories that pass the filter; undefined if it only leaves out some. */
export async function countLabelled(
  db: Db,
  accountId: Buffer,
  namespace: string,
  filter: TagTokens,
): Promise<number | undefined> {
  if (required(filter) === undefined) return undefined;
  const { with: labelled } = tagFilterSql(filter);
  const { rows } = await db.query<{ count: number }>(
    `WITH ${labelled.slice(0, -1)} SELECT count(*)::int AS count FROM labelled_ids`,
    [accountId, namespace],
  );
  return rows[0]!.count;
}
