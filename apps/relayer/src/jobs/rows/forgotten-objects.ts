import type { Db } from '../../base/db/db.ts';

export interface AccountNamespace {
  accountId: Buffer;
  namespace: string;
  /** 16 bytes */
  tag: Buffer;
}

/** Characters of the id of a patch; a blob of its own has 43. */
export const patchIdLength = 50;

/** Whether a living memory of the account `$1` needs this object too: in a quilt, or with the same bytes stored twice. */
export const isShared = (objectId: string): string => `EXISTS (
  SELECT 1 FROM memory WHERE memory.account_id = $1 AND memory.object_id = ${objectId} AND memory.state = 'done')`;

const ofLastDay = `
  SELECT blob_id, object_id FROM forgotten_memory
  WHERE account_id = $1 AND ($2::bytea IS NULL OR tag = $2) AND blob_id IS NOT NULL
    AND forgotten_at > now() - interval '1 day'`;

/** By envelope too: a memory may have several objects when it was being renewed. */
const ofMemories = `
  SELECT blob_id, object_id FROM forgotten_memory
  WHERE account_id = $1 AND tag = $2 AND blob_id IS NOT NULL AND (
    memory_id = ANY($3::uuid[]) OR envelope_id IN (
      SELECT envelope_id FROM forgotten_memory WHERE account_id = $1 AND memory_id = ANY($3::uuid[])))`;

/** With second objects of the same blobs (strays/start-strays.ts) */
const withStrays = (forgotten: string): string => `
  WITH forgotten AS (${forgotten})
  SELECT object_id, ${isShared('forgotten.object_id')} AS shared FROM forgotten WHERE object_id IS NOT NULL
  UNION
  SELECT object_id, false FROM stray_object WHERE account_id = $1 AND blob_id IN (SELECT blob_id FROM forgotten)`;

/** Blob objects of what was forgotten. */
export interface ForgottenObjects {
  /** For the owner to delete */
  free: string[];
  /** Number of further objects that also hold living memories; they can be deleted once those are stored again */
  shared: number;
}

/**
 * Blob objects of forgotten memories, including those that an earlier call forgot: an answer may get lost, and a blob may
 * be stored late. Without `ids`: of all memories forgotten in the last day, in one namespace or in all.
 */
export async function forgottenObjects(
  db: Db,
  { accountId, tag }: Pick<AccountNamespace, 'accountId'> & Partial<AccountNamespace>,
  ids: readonly string[] | undefined,
): Promise<ForgottenObjects> {
  const { rows } = await db.query<ObjectRow>(
    withStrays(ids ? ofMemories : ofLastDay),
    ids ? [accountId, tag ?? null, [...ids]] : [accountId, tag ?? null],
  );
  return sortOut(rows);
}

/** Those of these objects of an account that no living memory needs. */
export async function freeObjects(
  db: Db,
  accountId: Buffer,
  objectIds: readonly string[],
): Promise<ForgottenObjects> {
  const { rows } = await db.query<ObjectRow>(
    `SELECT object_id, ${isShared('given.object_id')} AS shared FROM unnest($2::text[]) AS given (object_id)`,
    [accountId, [...new Set(objectIds)]],
  );
  return sortOut(rows);
}

interface ObjectRow {
  object_id: string;
  shared: boolean;
}

function sortOut(rows: readonly ObjectRow[]): ForgottenObjects {
  const free = rows.filter(({ shared }) => !shared).map(({ object_id }) => object_id);
  return { free, shared: rows.length - free.length };
}

/** Removes the former blob ids of memories forgotten more than a day ago, which clients no longer use. */
export async function pruneFormerBlobs(db: Db): Promise<void> {
  await db.query("DELETE FROM former_blob WHERE forgotten_at < now() - interval '1 day'");
}
