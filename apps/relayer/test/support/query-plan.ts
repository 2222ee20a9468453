import type { Db, Queryable, SqlValue } from '../../src/base/db/db.ts';
import { preparedSettings } from '../../src/base/db/postgres.ts';
import { decodeVector } from '../../src/base/db/vector.ts';

/** A node in the output of `EXPLAIN (ANALYZE, FORMAT JSON)`. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** The node and all below it. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Rows that a node has read, in all of its loops. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}

/** Table rows that all statements of `work` read together. */
export async function rowsReadBy(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  const plans = await plansOf(db, work);
  return plans.reduce((sum, plan) => sum + tableRows(plan), 0);
}

/** For each time that a statement of `work` reads this table: the index condition, if it uses one. */
export async function indexConditions(
  db: Db,
  table: string,
  work: (db: Db) => Promise<unknown>,
): Promise<(string | undefined)[]> {
  const nodes = (await plansOf(db, work)).flatMap(nodesOf);
  return nodes.filter((node) => node['Relation Name'] === table).map((node) => node['Index Cond']);
}

/**
 * The most rows that a prepared statement of `work` reads after `fill` with the plan it got before it, as on the connection of
 * a relayer that started with an empty database.
 */
export async function mostReadByEarlyPlan(
  db: Db,
  work: (db: Db) => Promise<unknown>,
  fill: (tx: Queryable) => Promise<unknown>,
): Promise<number> {
  const statements: { sql: string; params: readonly SqlValue[] }[] = [];
  await work({
    ...db,
    query(sql, params = [], options = {}) {
      if (options.prepared) statements.push({ sql, params });
      return db.query(sql, params);
    },
  });
  return db.transaction(async (tx) => {
    for (const setting of preparedSettings) await tx.query(`SET LOCAL ${setting}`);
    const executions: string[] = [];
    for (const [i, { sql, params }] of statements.entries()) {
      const execution = await prepare(tx, `early_${i}`, sql, params);
      executions.push(execution);
      await tx.query(execution);
    }
    await fill(tx);
    const read: number[] = [];
    for (const execution of executions) read.push(tableRows(await explain(tx, execution)));
    for (const i of statements.keys()) await tx.query(`DEALLOCATE early_${i}`);
    return Math.max(...read);
  });
}

/**
 * The plan of each statement of `work`, which runs it twice. Prepared statements use their generic plan, which Postgres
 * chooses once for all parameters.
 */
export async function plansOf(db: Db, work: (db: Db) => Promise<unknown>): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  await work({
    ...db,
    async query(sql, params = [], options = {}) {
      plans.push(
        options.prepared && db.kind === 'postgres'
          ? await db.transaction((tx) => explainGeneric(tx, sql, params))
          : await explain(db, sql, params),
      );
      return db.query(sql, params);
    },
  });
  return plans;
}

async function explain(db: Queryable, sql: string, params: readonly SqlValue[] = []): Promise<PlanNode> {
  const { rows } = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    params,
  );
  return rows[0]!['QUERY PLAN'][0]!.Plan;
}

async function explainGeneric(tx: Queryable, sql: string, params: readonly SqlValue[]): Promise<PlanNode> {
  for (const setting of preparedSettings) await tx.query(`SET LOCAL ${setting}`);
  const execution = await prepare(tx, 'asked', sql, params);
  try {
    return await explain(tx, execution);
  } finally {
    await tx.query('DEALLOCATE asked');
  }
}

/** Prepares a statement under a name. Returns the command that executes it. */
async function prepare(
  tx: Queryable,
  name: string,
  sql: string,
  params: readonly SqlValue[],
): Promise<string> {
  await tx.query(`PREPARE ${name} AS ${sql}`);
  const { rows } = await tx.query<{ types: string[] }>(
    'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
    [name],
  );
  return `EXECUTE ${name}(${params.map((value, i) => literal(value, rows[0]!.types[i]!)).join(', ')})`;
}

function literal(value: SqlValue, type: string): string {
  if (value === null) return 'NULL';
  if (!Buffer.isBuffer(value)) return `'${value}'`;
  return type === 'vector' ? `'[${decodeVector(value).join(',')}]'` : `'\\x${value.toString('hex')}'`;
}

const tableRows = (plan: PlanNode): number =>
  nodesOf(plan)
    .filter((node) => node['Relation Name'])
    .reduce((sum, node) => sum + rowsRead(node), 0);
