import { randomUUID } from 'node:crypto';
import { envelopeKind } from '@memrelay/envelope/header';
import type { Queryable } from '../../base/db/db.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Place } from '../../jobs/queue/forgotten-objects.ts';
import type { OpenedCandidate } from './open-found.ts';

/**
 * A tombstone that a restore has found is looked after from here on like one that was made here: it is stored again before
 * it expires, as long as something lives that it forgets (renewals/renew-beside.ts). One that is known stays as it is.
 */
export async function keepTombstone(
  tx: Queryable,
  { accountId, namespace, tag }: Place,
  owner: string,
  { candidate, envelope, supersedes }: Pick<OpenedCandidate, 'candidate' | 'envelope' | 'supersedes'>,
): Promise<void> {
  const { storedAs, envelopeId, objectId, endEpoch } = candidate;
  await tx.query(
    `WITH kept AS (
       INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, status, stage, kind, blob_id, envelope_id,
         envelope_sha256, checkpoint)
       SELECT $3::uuid, $1::bytea, $4, $5, ''::bytea, 'done', 'indexing', ${envelopeKind.tombstone}, $6, $7, $8, $9::jsonb
       WHERE NOT EXISTS (
         SELECT 1 FROM memory_job WHERE account_id = $1 AND kind = ${envelopeKind.tombstone} AND envelope_id = $7)
       RETURNING id)
     INSERT INTO buried_blob (account_id, tombstone_id, blob_id)
     SELECT DISTINCT $1::bytea, kept.id, found.blob_id FROM kept, chain_envelope found
     WHERE found.account_id = $1 AND found.tag = $2
       AND found.envelope_id IN (SELECT decode(id, 'hex') FROM unnest($10::text[]) AS id)`,
    [
      accountId,
      tag,
      randomUUID(),
      owner,
      namespace,
      storedAs,
      envelopeId,
      sha256(envelope),
      JSON.stringify({ object_id: objectId, end_epoch: endEpoch }),
      [...supersedes],
    ],
  );
}
