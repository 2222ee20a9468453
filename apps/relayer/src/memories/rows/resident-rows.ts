import type { Db } from '../../base/db/db.ts';
import { memoryFields } from '../../jobs/rows/memory-fields.ts';
import type { Match } from './match.ts';
import { type FieldColumns, fieldColumns, fieldsOf } from './match-fields.ts';

/**
 * Reads the memories of a namespace with their index data, and what has changed since. `memory.changed` is the transaction
 * that wrote a row last. Transactions below the horizon of a snapshot had ended when it was taken, so everything that
 * a later snapshot sees in addition was written at or above that horizon.
 */

/** A memory with its index data, as the tables have it. */
export interface ResidentMemory {
  /** What every hit of it has */
  match: Omit<Match, 'distance' | 'near' | 'stale' | 'words' | 'relatedness' | 'supersededBy' | 'state'>;
  state: 'pending' | 'done' | 'failed' | 'lost';
  /** Microseconds since 1970: memories of one bulk differ by less than a millisecond */
  createdUs: number;
  lengthBucket: number | undefined;
  /** `array_send` of the token columns */
  tokens: Buffer | undefined;
  tokensTwice: Buffer | undefined;
  tokensOften: Buffer | undefined;
  /** `halfvec_send` of its vectors of the model, one after the other */
  vectors: Buffer | undefined;
  /** Envelope ids of the memories that it replaces, 16 bytes each */
  replaces: Buffer | undefined;
}

/** A memory with the sign bits of its vectors. */
export interface ResidentCodes extends Pick<ResidentMemory, 'state'> {
  id: string;
  /** For each of its vectors of the model `int2send` of the piece's number and `bit_send`, one after the other */
  codes: Buffer | undefined;
}

/** What has changed in a namespace. */
export interface ResidentChanges<Memory> {
  /** Where the next changes begin */
  horizon: bigint;
  /** Ids of deleted memories. They are applied first: one of them may have been stored again */
  deleted: string[];
  changed: Memory[];
}

/** What is read of a memory: see `wholeMemories` and `onlyCodes`. */
export interface ResidentReads<Memory, Row extends { id: string } = never> {
  pageSql: string;
  pageRows: number;
  changesSql: string;
  memoryOf(row: Row): Memory;
}

export interface ResidentPlace {
  accountId: Buffer;
  namespace: string;
  /** Embedding model */
  model: string;
}

interface ResidentRow extends FieldColumns {
  id: string;
  blob_id: string | null;
  envelope_id: Buffer | null;
  envelope_sha256: Buffer;
  size: number;
  importance: number;
  state: ResidentMemory['state'];
  created_us: number;
  length_bucket: number | null;
  words: Buffer | null;
  words_twice: Buffer | null;
  words_often: Buffer | null;
  vectors: Buffer | null;
  replaces: Buffer | null;
}

/** `$1` is the account and `$3` the model. Binary forms are cheaper to parse than text. */
const wholeColumns = `
  m.id, m.blob_id, m.envelope_id, m.envelope_sha256, m.size, m.importance, m.state, m.length_bucket, ${fieldColumns('m')},
  (extract(epoch FROM m.created_at) * 1000000)::float8 AS created_us,
  array_send(m.tokens) AS words, array_send(m.tokens_twice) AS words_twice, array_send(m.tokens_often) AS words_often,
  (SELECT string_agg(halfvec_send(embedding), ''::bytea ORDER BY chunk_no) FROM memory_vector
   WHERE account_id = $1 AND memory_id = m.id AND embedding_model = $3) AS vectors,
  (SELECT string_agg(envelope_id, ''::bytea) FROM memory_successor
   WHERE account_id = $1 AND successor_id = m.id) AS replaces`;

function memoryOf(row: ResidentRow): ResidentMemory {
  const createdAt = new Date(Math.floor(row.created_us / 1000));
  const { id, blob_id, envelope_id, envelope_sha256, size, importance } = row;
  return {
    match: {
      ...memoryFields({ id, blob_id, envelope_id, envelope_sha256, size, importance }),
      createdAt,
      ...fieldsOf(row),
    },
    state: row.state,
    createdUs: row.created_us,
    lengthBucket: row.length_bucket ?? undefined,
    tokens: row.words ?? undefined,
    tokensTwice: row.words_twice ?? undefined,
    tokensOften: row.words_often ?? undefined,
    vectors: row.vectors ?? undefined,
    replaces: row.replaces ?? undefined,
  };
}

const codeColumns = `
  m.id, m.state,
  (SELECT string_agg(int2send(chunk_no) || bit_send(code::"bit"), ''::bytea ORDER BY chunk_no) FROM memory_vector
   WHERE account_id = $1 AND memory_id = m.id AND embedding_model = $3) AS codes`;

/** Memories with all of their index data. */
export const wholeMemories: ResidentReads<ResidentMemory, ResidentRow> = {
  // Parsing a page takes about two milliseconds
  ...readsOf(wholeColumns, 100),
  memoryOf,
};

export const onlyCodes: ResidentReads<
  ResidentCodes,
  Pick<ResidentRow, 'id' | 'state'> & { codes: Buffer | null }
> = {
  ...readsOf(codeColumns, 1_000),
  memoryOf: ({ id, state, codes }) => ({ id, state, codes: codes ?? undefined }),
};

const horizonSql = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon';

/**
 * `pageSql` reads all memories except failed ones. `changesSql`: parameters 1 account, 2 namespace, 3 model, 4 horizon,
 * 5 maximum number of rows. `changed` of a database that was restored from a dump may lie in the future; such a row has not
 * changed.
 */
function readsOf(columns: string, pageRows: number): Omit<ResidentReads<never>, 'memoryOf'> {
  return {
    pageRows,
    pageSql: `
      SELECT m.created_at::text AS created, ${columns} FROM memory m
      WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
        AND (created_at, id) > ($4::timestamptz, $5::uuid)
      ORDER BY created_at, id LIMIT ${pageRows}`,
    changesSql: `
      WITH taken AS MATERIALIZED (SELECT pg_snapshot_xmin(s) AS horizon, pg_snapshot_xmax(s) AS future
        FROM pg_current_snapshot() AS s)
      SELECT taken.horizon::text AS horizon,
        (SELECT string_agg(uuid_send(memory_id), ''::bytea) FROM deleted_memory
         WHERE account_id = $1 AND namespace = $2 AND changed >= $4::xid8 AND changed < taken.future) AS deleted,
        changes.*
      FROM taken LEFT JOIN LATERAL (
        SELECT ${columns} FROM memory m
        WHERE account_id = $1 AND namespace = $2 AND changed >= $4::xid8 AND changed < taken.future AND changed >= '0'
        LIMIT $5::int) AS changes ON true`,
  };
}

/**
 * Reads all memories of a namespace page by page, except failed ones. Returns where the changes begin that the pages may
 * lack, or undefined if `onPage` returned false.
 */
export async function readResident<Memory, Row extends { id: string }>(
  db: Db,
  { accountId, namespace, model }: ResidentPlace,
  { pageSql, pageRows, memoryOf }: ResidentReads<Memory, Row>,
  onPage: (memories: readonly Memory[]) => boolean,
): Promise<bigint | undefined> {
  const { rows: snapshot } = await db.query<{ horizon: string }>(horizonSql);
  let [created, id] = ['-infinity', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await db.query<Row & { created: string }>(
      pageSql,
      [accountId, namespace, model, created, id],
      { prepared: true },
    );
    if (!onPage(rows.map(memoryOf))) return undefined;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return BigInt(snapshot[0]!.horizon);
    [created, id] = [last.created, last.id];
  }
}

/** With more changes, it is cheaper to read the namespace again when it is needed. */
const mostChanges = 500;

/**
 * Returns what has changed since `horizon`, as of now. Undefined if too much has changed, or if the database is an older copy
 * of itself.
 */
export async function readChanges<Memory, Row extends { id: string }>(
  db: Db,
  { accountId, namespace, model }: ResidentPlace,
  { changesSql, memoryOf }: ResidentReads<Memory, Row>,
  horizon: bigint,
): Promise<ResidentChanges<Memory> | undefined> {
  const { rows } = await db.query<(Row | { id: null }) & { horizon: string; deleted: Buffer | null }>(
    changesSql,
    [accountId, namespace, model, horizon.toString(), mostChanges + 1],
    { prepared: true },
  );
  const now = BigInt(rows[0]!.horizon);
  if (rows.length > mostChanges || now < horizon) return undefined;
  return {
    horizon: now,
    deleted: uuidsOf(rows[0]!.deleted),
    changed: rows.filter((row): row is typeof row & Row => row.id !== null).map(memoryOf),
  };
}

function uuidsOf(bytes: Buffer | null): string[] {
  const ids: string[] = [];
  for (let at = 0; at < (bytes?.length ?? 0); at += 16)
    ids.push(
      bytes!.toString('hex', at, at + 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    );
  return ids;
}

/** Deletions are remembered at least this long; a copy that has not been compared for half of it must not be used. */
export const deletionsKeptMs = 2 * 60 * 60_000;

export async function pruneDeletions(db: Db): Promise<void> {
  await db.query(
    "DELETE FROM deleted_memory WHERE deleted_at < now() - $1::float8 * interval '1 millisecond'",
    [deletionsKeptMs],
  );
}
