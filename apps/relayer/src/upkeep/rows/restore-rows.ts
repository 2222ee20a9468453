import { type EnvelopeHeader, envelopeKind } from '@memrelay/envelope/header';
import type { SealedContext } from '@memrelay/protocol/context-fields';
import type { Db, Queryable } from '../../base/db/db.ts';
import { sha256 } from '../../base/sha256.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import type { FoundEnvelope } from './chain-scan-rows.ts';

/** Envelopes of one namespace on chain: which to read, and the outcome. */

/** An envelope of which only a quilt's index is known. */
export interface UnknownPatch extends FoundEnvelope {
  /** An earlier call could not read it */
  tried: boolean;
}

/**
 * In the namespace `$2` only: its writers choose the envelope ids, so an envelope in another namespace may have the
 * same id.
 */
const isIndexed = `EXISTS (
  SELECT 1 FROM memory WHERE memory.account_id = $1 AND memory.envelope_id = found.envelope_id
    AND memory.namespace = $2)`;
const isForgotten = `EXISTS (
  SELECT 1 FROM forgotten_memory gone WHERE gone.account_id = $1 AND gone.envelope_id = found.envelope_id AND gone.tag = found.tag)`;

/** An indexed envelope is a memory, so its header need not be read. */
export async function markIndexed(db: Db, { accountId, namespace, tag }: AccountNamespace): Promise<void> {
  await db.query(
    `UPDATE chain_envelope AS found SET kind = ${envelopeKind.memory}
     WHERE account_id = $1 AND tag = $3 AND kind IS NULL AND ${isIndexed}`,
    [accountId, namespace, tag],
  );
}

/**
 * Patches of a namespace whose headers are unknown. Patches that could not be read come last, and are left out if that
 * attempt was after `before`.
 */
export async function unknownPatches(
  db: Db,
  { accountId, tag }: Pick<AccountNamespace, 'accountId' | 'tag'>,
  before: Date,
  limit: number,
): Promise<UnknownPatch[]> {
  const { rows } = await db.query<{ stored_as: string; envelope_id: Buffer; tried: boolean }>(
    `SELECT stored_as, envelope_id, tried_at IS NOT NULL AS tried FROM chain_envelope
     WHERE account_id = $1 AND tag = $2 AND kind IS NULL AND outcome IS NULL AND (tried_at IS NULL OR tried_at < $3)
     ORDER BY tried_at NULLS FIRST, stored_as LIMIT $4`,
    [accountId, tag, before, limit],
  );
  return rows.map(({ stored_as, envelope_id, tried }) => ({
    storedAs: stored_as,
    tag,
    envelopeId: envelope_id,
    tried,
  }));
}

/** Its header cannot be read now. */
export async function saveUnreadPatch(db: Db, accountId: Buffer, storedAs: string): Promise<void> {
  await db.query('UPDATE chain_envelope SET tried_at = now() WHERE account_id = $1 AND stored_as = $2', [
    accountId,
    storedAs,
  ]);
}

/** Saves what the header of a patch says. A patch that does not match the quilt's index is never read again. */
export async function saveHeader(
  db: Db,
  accountId: Buffer,
  storedAs: string,
  header: FoundEnvelope['header'],
): Promise<void> {
  await db.query(
    `UPDATE chain_envelope SET kind = $3, recipient_pk = $4, wraps = $5, tried_at = NULL,
       outcome = CASE WHEN $3::smallint IS NULL THEN 'failed' END,
       reason = CASE WHEN $3::smallint IS NULL THEN 'index_mismatch' END
     WHERE account_id = $1 AND stored_as = $2`,
    [accountId, storedAs, header?.kind ?? null, header?.recipientPk ?? null, header?.wraps ?? null],
  );
}

/** An envelope to read whole. */
export interface Candidate {
  storedAs: string;
  envelopeId: Buffer;
  objectId: string;
  endEpoch: number;
}

/** An envelope that was read whole and opened. */
export interface OpenedCandidate {
  candidate: Candidate;
  header: EnvelopeHeader;
  envelope: Buffer;
  text: string;
  createdAt: string;
  importance: number | undefined;
  supersedes: string[];
  context: SealedContext | undefined;
  /** Hex */
  signer: string;
}

/**
 * Returns at most `limit` envelopes of a kind to read next: first those that were never tried, then those that failed
 * before `before` or whose signer was not trusted at the time. Of several with one id, the earliest certified.
 */
export async function candidates(
  db: Db,
  { accountId, namespace, tag }: AccountNamespace,
  options: { kind: number; before: Date; trust: string; limit: number },
): Promise<Candidate[]> {
  const { rows } = await db.query<{
    stored_as: string;
    envelope_id: Buffer;
    object_id: string;
    end_epoch: number;
  }>(
    `SELECT * FROM (
       SELECT DISTINCT ON (found.envelope_id) found.stored_as, found.envelope_id, found.tried_at, blob.object_id,
         blob.end_epoch
       FROM chain_envelope found JOIN chain_blob blob ON blob.account_id = $1 AND blob.blob_id = found.blob_id
       WHERE found.account_id = $1 AND found.tag = $3 AND found.kind = $4
         AND (found.tried_at IS NULL OR found.tried_at < $5)
         AND (found.outcome IS NULL OR (found.outcome = 'failed' AND found.tried_at IS NOT NULL)
           OR (found.outcome = 'unverified' AND found.reason IS DISTINCT FROM $6))
         AND NOT ${isIndexed} AND NOT ${isForgotten}
       ORDER BY found.envelope_id, blob.certified_epoch, found.stored_as) AS earliest
     ORDER BY tried_at NULLS FIRST, stored_as LIMIT $7`,
    [accountId, namespace, tag, options.kind, options.before, options.trust, options.limit],
  );
  return rows.map((row) => ({
    storedAs: row.stored_as,
    envelopeId: row.envelope_id,
    objectId: row.object_id,
    endEpoch: row.end_epoch,
  }));
}

/** Identifies a set of signers: an envelope that none of them signed need not be opened again for the same set. */
export function trustName(signers: readonly string[]): string {
  return sha256(Buffer.from([...new Set(signers)].sort().join())).toString('hex');
}

/** `reason` of `unverified` is the set of signers that was trusted (`trustName`). */
export async function saveOutcome(
  db: Queryable,
  accountId: Buffer,
  storedAs: readonly string[],
  outcome: 'done' | 'unverified' | 'failed',
  reason?: string,
): Promise<void> {
  await db.query(
    `UPDATE chain_envelope SET outcome = $3, reason = $4, tried_at = now()
     WHERE account_id = $1 AND stored_as = ANY($2::text[])`,
    [accountId, [...storedAs], outcome, reason ?? null],
  );
}

/** A wrap of a key for later key servers (kind 3) that the owner holds; anyone may have sent it. */
export interface ChainRewrap {
  storedAs: string;
  /** As they are in the header */
  wraps: Buffer;
}

/** Rewraps that have not yet failed with these key servers, by `recipient_pk` in hex. */
export async function chainRewraps(
  db: Db,
  { accountId, tag }: Pick<AccountNamespace, 'accountId' | 'tag'>,
  serverSet: string,
): Promise<Map<string, ChainRewrap[]>> {
  const { rows } = await db.query<{ recipient_pk: Buffer; stored_as: string; wraps: Buffer }>(
    `SELECT recipient_pk, stored_as, wraps FROM chain_envelope
     WHERE account_id = $1 AND tag = $2 AND kind = ${envelopeKind.rewrap} AND wraps IS NOT NULL
       AND (outcome IS NULL OR reason IS DISTINCT FROM $3)
     ORDER BY stored_as`,
    [accountId, tag, serverSet],
  );
  const found = Map.groupBy(rows, ({ recipient_pk }) => recipient_pk.toString('hex'));
  return new Map(
    [...found].map(([name, all]) => [
      name,
      all.map(({ stored_as, wraps }) => ({ storedAs: stored_as, wraps })),
    ]),
  );
}

/**
 * Records that these rewraps do not belong to the key that they name: no call tries them again with the same key
 * servers.
 */
export async function saveWrongRewraps(
  db: Db,
  accountId: Buffer,
  storedAs: readonly string[],
  serverSet: string,
): Promise<void> {
  await db.query(
    `UPDATE chain_envelope SET outcome = 'failed', reason = $3
     WHERE account_id = $1 AND stored_as = ANY($2::text[]) AND kind = ${envelopeKind.rewrap}`,
    [accountId, [...storedAs], serverSet],
  );
}

export interface NamespaceCounts {
  /** Memories on chain, except those whose signer is not trusted */
  total: number;
  /** Of these, the indexed and the forgotten ones */
  settled: number;
  unverified: number;
  /** Not tried yet, or not since the set of trusted signers changed */
  untried: number;
}

export async function countFound(
  db: Db,
  { accountId, namespace, tag }: AccountNamespace,
  trust: string,
): Promise<NamespaceCounts> {
  const { rows } = await db.query<NamespaceCounts>(
    `SELECT count(*) FILTER (WHERE settled OR NOT unverified)::int AS total,
       count(*) FILTER (WHERE settled)::int AS settled,
       count(*) FILTER (WHERE unverified AND NOT settled)::int AS unverified,
       count(*) FILTER (WHERE untried AND NOT settled)::int AS untried
     FROM (
       SELECT bool_or(${isIndexed} OR ${isForgotten}) AS settled,
         bool_and(outcome IS NOT DISTINCT FROM 'unverified') AS unverified,
         bool_or(outcome IS NULL OR (outcome = 'unverified' AND reason IS DISTINCT FROM $4)) AS untried
       FROM chain_envelope found JOIN chain_blob blob ON blob.account_id = $1 AND blob.blob_id = found.blob_id
       WHERE found.account_id = $1 AND tag = $3 AND kind = ${envelopeKind.memory} GROUP BY envelope_id) AS memories`,
    [accountId, namespace, tag, trust],
  );
  return rows[0]!;
}

/** The database's clock, by which attempts are recorded. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('SELECT now() AS now');
  return rows[0]!.now;
}
