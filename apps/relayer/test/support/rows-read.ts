import type { Db, Queryable, SqlValue } from '../../src/base/db/db.ts';
import { decodeVector } from '../../src/base/db/vector.ts';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/**
 * How many rows of tables the statements read that `work` asks of the database, each time that they read one. Those that
 * are kept prepared are planned as Postgres comes to plan them: once, for whatever they are asked with.
 */
export async function rowsRead(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  let rows = 0;
  await work({
    ...db,
    async query(sql, params = [], options = {}) {
      const plans =
        options.prepared && db.kind === 'postgres'
          ? await db.transaction((tx) => explainGeneric(tx, sql, params))
          : await explain(db, sql, params);
      rows += readBy(plans);
      return db.query(sql, params);
    },
  });
  return rows;
}

async function explain(db: Queryable, sql: string, params: readonly SqlValue[] = []): Promise<PlanNode> {
  const { rows } = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    params,
  );
  return rows[0]!['QUERY PLAN'][0]!.Plan;
}

async function explainGeneric(tx: Queryable, sql: string, params: readonly SqlValue[]): Promise<PlanNode> {
  await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
  await tx.query(`PREPARE asked AS ${sql}`);
  try {
    const { rows } = await tx.query<{ types: string[] }>(
      "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'asked'",
    );
    const literals = params.map((value, i) => literal(value, rows[0]!.types[i]!));
    return await explain(tx, `EXECUTE asked(${literals.join(', ')})`);
  } finally {
    await tx.query('DEALLOCATE asked');
  }
}

function literal(value: SqlValue, type: string): string {
  if (!Buffer.isBuffer(value)) return `'${value}'`;
  return type === 'vector' ? `'[${decodeVector(value).join(',')}]'` : `'\\x${value.toString('hex')}'`;
}

function readBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + readBy(child), 0);
  if (!node['Relation Name']) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}
