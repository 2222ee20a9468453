import type { LostReason } from '@memrelay/protocol/memory-lists';
import type { Db, SqlValue } from '../../base/db/db.ts';
import type { TagTokens } from '../../index/context-tokens.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';
import { shownSimilarity } from '../../jobs/rows/read-jobs.ts';
import { countLabelled, fewLabelled, ownTags } from './tag-filter.ts';

/** A memory as lists show it: pending, stored or lost, never failed. */
export interface ListedMemory {
  id: string;
  namespace: string;
  blobId: string | undefined;
  createdAt: Date;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** Bytes of the envelope */
  size: number;
  importance: number;
  endEpoch: number | undefined;
  /** Why its blob is gone */
  lost: LostReason | undefined;
  /** The memory that it nearly duplicates */
  near: { id: string; similarity: number } | undefined;
  /** Position of the page after this memory */
  position: PagePosition;
}

/** Position of the last memory on a page; `createdAt` is RFC 3339 with the database's microseconds. */
export interface PagePosition {
  createdAt: string;
  id: string;
}

export const firstPage: PagePosition = {
  createdAt: 'infinity',
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

const shown =
  'id, namespace, blob_id, created_at, envelope_id, envelope_sha256, size, importance, end_epoch, lost_reason, near_similarity';
const read = `${shown}, near_duplicate_of`;
const before = `state <> 'failed' AND (expires_at IS NULL OR expires_at > now()) AND (created_at, id) < ($2::timestamptz, $3::uuid)
  ORDER BY created_at DESC, id DESC LIMIT $4`;
const position = `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS position`;
const withPosition = `SELECT ${shown},
  (SELECT near.id FROM memory near WHERE near.account_id = $1 AND near.id = listed.near_duplicate_of
     AND near.namespace = listed.namespace AND near.state IN ('pending', 'done')) AS near_duplicate_of,
  ${position}`;

/** For a whole account: in the order of its index. */
const ofAccount = `${withPosition} FROM memory AS listed WHERE account_id = $1 AND ${before}`;

/** For some namespaces: a page of each, merged. Reads only as many rows as the pages have. */
const ofNamespaces = `${withPosition} FROM (
    SELECT page.* FROM unnest($5::text[]) AS name,
      LATERAL (SELECT ${read} FROM memory WHERE account_id = $1 AND namespace = name AND ${before}) AS page
  ) AS listed ORDER BY created_at DESC, id DESC LIMIT $4`;

/**
 * For one namespace and tags: `$5` is its name. The few memories of a rare tag are found by the index on tags; otherwise the
 * namespace is read in its order until the page is full.
 */
const ofTagged = (tags: TagTokens, few: boolean): string => `
  ${withPosition} FROM (
    SELECT * FROM memory WHERE ${few ? 'tag_tokens IS NOT NULL' : 'true'} ${ownTags(tags)}
    ${few ? 'OFFSET 0' : ''}) AS listed
  WHERE account_id = $1 AND namespace = $5 AND ${before}`;

/** Memories that wait to be embedded, which have no row in `memory` yet. There are few: unfinished jobs have an index. */
const queued = (tags: TagTokens | undefined): string => `
  SELECT *, ${position} FROM (
    SELECT id, namespace, NULL AS blob_id, coalesce(written_at, created_at) AS created_at, envelope_id, envelope_sha256,
      length(envelope) AS size, importance, NULL::int AS end_epoch, NULL AS lost_reason, NULL AS near_duplicate_of,
      NULL::real AS near_similarity
    FROM memory_job
    WHERE account_id = $1 AND ($5::text[] IS NULL OR namespace = ANY($5)) AND status = 'running' AND kind = 1
      AND NOT duplicate AND stage IN ('queued', 'embedding') AND envelope IS NOT NULL
      AND (expires_at IS NULL OR expires_at > now()) ${tags ? ownTags(tags) : ''}) AS listed
  WHERE (created_at, id) < ($2::timestamptz, $3::uuid) ORDER BY created_at DESC, id DESC LIMIT $4`;

function statementFor(
  parameters: SqlValue[],
  namespaces: 'all' | readonly string[],
  tags: TagTokens | undefined,
  few: boolean,
): [string, SqlValue[]] {
  if (namespaces === 'all') return [ofAccount, parameters];
  if (!tags) return [ofNamespaces, [...parameters, [...namespaces]]];
  return [ofTagged(tags, few), [...parameters, namespaces[0]!]];
}

/** The statements of `readMemoryPage`, so that a test can check their plans. */
export const memoryPageSql = { ofAccount, ofNamespaces } as const;

/** At most `limit` memories after `position`, newest first; in these namespaces, or in all. */
export async function readMemoryPage(
  db: Db,
  accountId: Buffer,
  namespaces: 'all' | readonly string[],
  position: PagePosition,
  limit: number,
  tags?: TagTokens,
): Promise<ListedMemory[]> {
  const parameters = [accountId, position.createdAt, position.id, limit];
  const passing =
    tags && namespaces !== 'all'
      ? await countLabelled(db, accountId, namespaces[0]!, tags, fewLabelled + 1)
      : undefined;
  const { rows } = await db.query<ListedRow>(
    ...statementFor(parameters, namespaces, tags, passing !== undefined && passing <= fewLabelled),
  );
  return rows.map(listed);
}

/** Like `readMemoryPage`, including memories that still wait to be embedded. */
export async function readAcceptedPage(
  ...[db, accountId, namespaces, after, limit, tags]: Parameters<typeof readMemoryPage>
): Promise<ListedMemory[]> {
  const names = namespaces === 'all' ? null : [...namespaces];
  // First: a memory that is embedded between the two statements is then in both, and not in neither
  const { rows } = await db.query<ListedRow>(queued(tags), [
    accountId,
    after.createdAt,
    after.id,
    limit,
    names,
  ]);
  const embedded = await readMemoryPage(db, accountId, namespaces, after, limit, tags);
  const ids = new Set(embedded.map(({ id }) => id));
  const waiting = rows.map(listed).filter(({ id }) => !ids.has(id));
  return [...embedded, ...waiting].sort(newestFirst).slice(0, limit);
}

function newestFirst({ position: a }: ListedMemory, { position: b }: ListedMemory): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

type ListedRow = MemoryColumns<
  | 'id'
  | 'namespace'
  | 'blob_id'
  | 'created_at'
  | 'envelope_id'
  | 'envelope_sha256'
  | 'size'
  | 'importance'
  | 'end_epoch'
> & {
  lost_reason: LostReason | null;
  near_duplicate_of: string | null;
  near_similarity: number | null;
  position: string;
};

function listed(row: ListedRow): ListedMemory {
  return {
    ...memoryFields(row),
    lost: row.lost_reason ?? undefined,
    near: row.near_duplicate_of
      ? { id: row.near_duplicate_of, similarity: shownSimilarity(row.near_similarity) }
      : undefined,
    position: { createdAt: row.position, id: row.id },
  };
}

/**
 * Returns the names of an account's namespaces. Jumps from name to name in the index, so that the cost depends on the
 * number of names, not of memories.
 */
export async function readNamespaceNames(db: Db, accountId: Buffer): Promise<string[]> {
  const { rows } = await db.query<{ namespace: string }>(
    `WITH RECURSIVE names (namespace) AS (
       (SELECT namespace FROM memory WHERE account_id = $1 AND state <> 'failed' ORDER BY namespace LIMIT 1)
       UNION ALL
       SELECT (SELECT namespace FROM memory
               WHERE account_id = $1 AND state <> 'failed' AND namespace > names.namespace
               ORDER BY namespace LIMIT 1)
       FROM names WHERE names.namespace IS NOT NULL)
     SELECT namespace FROM names WHERE namespace IS NOT NULL`,
    [accountId],
  );
  return rows.map((row) => row.namespace);
}

/** Returns the names of namespaces with unfinished jobs, which may not have any memory yet. */
export async function readUnfinishedNames(db: Db, accountId: Buffer): Promise<string[]> {
  const { rows } = await db.query<{ namespace: string }>(
    "SELECT DISTINCT namespace FROM memory_job WHERE account_id = $1 AND status <> 'done'",
    [accountId],
  );
  return rows.map((row) => row.namespace);
}
