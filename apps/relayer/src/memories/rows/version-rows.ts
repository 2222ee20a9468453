import type { LostReason } from '@memrelay/protocol/memory-lists';
import type { Db } from '../../base/db/db.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';
import { successorOf } from '../../jobs/rows/successors.ts';
import { type FieldColumns, fieldColumns, fieldsOf } from './match-fields.ts';

/** A version of a memory: what is needed to read its envelope. */
export interface VersionRow {
  id: string;
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** Bytes of the envelope */
  size: number;
  createdAt: Date;
  state: 'pending' | 'done' | 'lost';
}

/** A memory that an id names. */
export interface NamedMemory extends VersionRow {
  namespace: string;
  importance: number;
  objectId: string | undefined;
  endEpoch: number | undefined;
  lost: LostReason | undefined;
  /** The newest memory that replaces it */
  supersededBy: string | undefined;
  /** Which context fields its row shows; `metadata` has no trace in a row */
  fields: ReturnType<typeof fieldsOf>;
}

type Columns = MemoryColumns<'id' | 'blob_id' | 'envelope_id' | 'envelope_sha256' | 'size' | 'created_at'> & {
  state: VersionRow['state'];
};

/**
 * A job that ended as a duplicate has no memory: its id names the memory that keeps the text, as in `resolveIds`
 * (forget-rows.ts). A job that still waits to be embedded is a pending memory.
 */
const named = `
  WITH named AS (
    SELECT $2::uuid AS id
    UNION
    SELECT memory_id FROM memory_job JOIN known_text USING (account_id, text_hash)
    WHERE memory_job.account_id = $1 AND known_text.account_id = $1 AND memory_job.id = $2)
  SELECT found.*, ${successorOf('found', 'true')} AS superseded_by
  FROM named, LATERAL (
    (SELECT id, namespace, state, lost_reason, blob_id, object_id, envelope_id, envelope_sha256, size, importance,
       created_at, end_epoch, ${fieldColumns('memory')}
     FROM memory
     WHERE account_id = $1 AND id = named.id AND state <> 'failed' AND (expires_at IS NULL OR expires_at > now()) LIMIT 1)
    UNION ALL
    (SELECT id, namespace, 'pending', NULL, NULL, NULL, envelope_id, envelope_sha256, length(envelope), importance,
       coalesce(written_at, created_at), NULL, ${fieldColumns('memory_job')}
     FROM memory_job WHERE account_id = $1 AND id = named.id AND kind = 1 AND status = 'running' AND NOT duplicate
       AND stage IN ('queued', 'embedding') AND envelope IS NOT NULL AND (expires_at IS NULL OR expires_at > now())
     LIMIT 1)) AS found
  ORDER BY found.id = $2 DESC LIMIT 1`;

/** The memory of an account that this UUID names: stored, pending or lost. */
export async function readNamedMemory(
  db: Db,
  accountId: Buffer,
  id: string,
): Promise<NamedMemory | undefined> {
  const { rows } = await db.query<
    Columns &
      MemoryColumns<'namespace' | 'importance' | 'object_id' | 'end_epoch'> & {
        lost_reason: LostReason | null;
        superseded_by: string | null;
      } & FieldColumns
  >(named, [accountId, id]);
  const row = rows[0];
  return (
    row && {
      ...memoryFields(row),
      state: row.state,
      lost: row.lost_reason ?? undefined,
      supersededBy: row.superseded_by ?? undefined,
      fields: fieldsOf(row),
    }
  );
}

/** Versions on one side that are read at most */
export const mostVersions = 50;

/** Links followed from one version: a memory names at most 200 that it replaces. */
const links = 200;

/** One step from `version`, each row looked up by its key. `$3` is excluded, so that a circle of links ends. */
const steps = {
  earlier: `LATERAL (
      SELECT envelope_id FROM memory_successor WHERE account_id = $1 AND successor_id = version.id LIMIT ${links}) link,
    LATERAL (
      SELECT id, namespace, state FROM memory WHERE account_id = $1 AND envelope_id = link.envelope_id LIMIT 1) other`,
  later: `LATERAL (SELECT envelope_id FROM memory WHERE account_id = $1 AND id = version.id LIMIT 1) own,
    LATERAL (
      SELECT successor_id FROM memory_successor WHERE account_id = $1 AND envelope_id = own.envelope_id LIMIT ${links}) link,
    LATERAL (SELECT id, namespace, state FROM memory WHERE account_id = $1 AND id = link.successor_id LIMIT 1) other`,
} as const;

const versions = (side: keyof typeof steps): string => `
  WITH RECURSIVE version (id) AS (
    SELECT $3::uuid
    UNION
    SELECT other.id FROM version, ${steps[side]}
    WHERE other.namespace = $2 AND other.state <> 'failed'),
  nearest AS MATERIALIZED (SELECT id FROM version LIMIT ${mostVersions + 1})
  SELECT m.id, m.state, m.blob_id, m.envelope_id, m.envelope_sha256, m.size, m.created_at
  FROM nearest, LATERAL (SELECT * FROM memory WHERE account_id = $1 AND id = nearest.id LIMIT 1) m
  WHERE m.id <> $3
  ORDER BY m.created_at ${side === 'earlier' ? 'DESC' : ''}, m.id`;

/** The versions before or after a memory in its namespace, nearest first. */
export async function readVersions(
  db: Db,
  accountId: Buffer,
  { id, namespace }: Pick<NamedMemory, 'id' | 'namespace'>,
  side: keyof typeof steps,
): Promise<VersionRow[]> {
  const { rows } = await db.query<Columns>(versions(side), [accountId, namespace, id]);
  return rows.map((row) => ({ ...memoryFields(row), state: row.state }));
}
