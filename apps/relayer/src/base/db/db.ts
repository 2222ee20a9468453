/**
 * The database as the rest of the relayer sees it: Postgres through `pg` or the embedded PGlite, same SQL.
 * Parameters are positional (`$1`); a `Buffer` goes in binary, so vectors travel as bytes (see vector.ts).
 */

export type SqlValue = string | number | bigint | boolean | null | Date | Buffer | readonly SqlValue[];

export interface QueryResult<Row> {
  rows: Row[];
  rowCount: number;
}

export interface QueryOptions {
  /**
   * Keeps the statement prepared on its connection and plans it once, for any parameters: for statements that run often
   * and take long to parse and plan. The plan must not depend on the values of the parameters.
   */
  prepared?: boolean;
}

export interface Queryable {
  query<Row = Record<string, unknown>>(
    sql: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<QueryResult<Row>>;
}

export interface Db extends Queryable {
  readonly kind: 'postgres' | 'pglite';
  /**
   * Runs `work` in one transaction; rolled back when it throws. Never await the network inside: the embedded
   * database has one connection.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
