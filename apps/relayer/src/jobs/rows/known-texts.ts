import { indexKey, keyedHash } from '@memrelay/envelope/at-rest';
import type { Queryable } from '../../base/db/db.ts';

/** The hash that represents a text in one namespace of one account (security.md, "At rest"): equal for equal bytes only. */
export function textHash(indexSecret: Uint8Array, accountId: Buffer, tag: Uint8Array, text: string): Buffer {
  return Buffer.from(keyedHash(indexKey(indexSecret, 'dedupe', accountId.toString('hex'), tag), text));
}

/** A job that has a text hash. */
export interface HashedJob {
  id: string;
  accountId: Buffer;
  textHash: Buffer;
}

/**
 * The memory that keeps a text, if one does. Its row stays locked until the transaction ends. Texts are locked before
 * jobs, and jobs before memories, so that transactions cannot deadlock.
 */
export async function lockText(
  tx: Queryable,
  accountId: Buffer,
  textHash: Buffer,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ memory_id: string }>(
    'SELECT memory_id FROM known_text WHERE account_id = $1 AND text_hash = $2 FOR UPDATE',
    [accountId, textHash],
  );
  return rows[0]?.memory_id;
}

/**
 * The memory that keeps the text of a job; the job's own if there was none. Its row stays locked until the transaction
 * ends, so that transactions decide one after the other.
 */
export async function lockKeeper(tx: Queryable, { id, accountId, textHash }: HashedJob): Promise<string> {
  const { rows } = await tx.query<{ memory_id: string }>(
    `INSERT INTO known_text (account_id, text_hash, memory_id) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, text_hash) DO UPDATE SET memory_id = known_text.memory_id
     RETURNING memory_id`,
    [accountId, textHash, id],
  );
  return rows[0]!.memory_id;
}

/** Makes the memory of this job the one that keeps the text. The current keeper must be locked. */
export async function replaceKeeper(tx: Queryable, { id, accountId, textHash }: HashedJob): Promise<void> {
  await tx.query('UPDATE known_text SET memory_id = $3 WHERE account_id = $1 AND text_hash = $2', [
    accountId,
    textHash,
    id,
  ]);
}

/** The memories that keep these texts, stored or on their way, by the hash in hex. Nothing is locked. */
export async function keptTexts(
  db: Queryable,
  accountId: Buffer,
  textHashes: readonly Buffer[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ hash: string; memory_id: string }>(
    `SELECT encode(text_hash, 'hex') AS hash, memory_id FROM known_text
     WHERE account_id = $1 AND text_hash IN (SELECT decode(hash, 'hex') FROM unnest($2::text[]) AS hash) AND (
       EXISTS (SELECT 1 FROM memory WHERE account_id = $1 AND id = memory_id AND state IN ('pending', 'done'))
       OR EXISTS (SELECT 1 FROM memory_job WHERE account_id = $1 AND id = memory_id AND status = 'running'))`,
    [accountId, textHashes.map((hash) => hash.toString('hex'))],
  );
  return new Map(rows.map(({ hash, memory_id }) => [hash, memory_id]));
}
