import type { Db } from '../../src/db/db.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** How many rows of tables the statements read that `work` asks of the database, each time that they read one. */
export async function rowsRead(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  let rows = 0;
  await work({
    ...db,
    async query(sql, params) {
      const { rows: plans } = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        params,
      );
      rows += readBy(plans[0]!['QUERY PLAN'][0]!.Plan);
      return db.query(sql, params);
    },
  });
  return rows;
}

function readBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + readBy(child), 0);
  if (!node['Relation Name']) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}
