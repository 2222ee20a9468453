import { indexKey, keyedHash, openCell, type SecretRing, sealCell } from '@memrelay/envelope/at-rest';
import { ApiError } from '@memrelay/protocol/errors';
import type { Db } from '../../base/db/db.ts';
import { deleteOldKeys, type IdempotencyRow, readIdempotencyRow } from '../rows/idempotency-rows.ts';

/** A write that its caller may repeat (decisions.md, "Fields and limits"). */
export interface RepeatableWrite {
  accountId: Buffer;
  delegatePk: Buffer;
  route: string;
  /** The header as sent */
  key: string;
  /** SHA-256 of the raw body */
  bodySha256: Buffer;
}

export interface Idempotency {
  /** `answer`: the JSON response that a repetition gets */
  rowFor(write: RepeatableWrite, answer: unknown): IdempotencyRow;
  /** The response to the first such write. Throws `idempotency_key_reused` if its body differed. */
  earlierAnswer<T>(write: RepeatableWrite): Promise<T>;
  /** As above, but undefined if there was no such write in the last day */
  knownAnswer<T>(write: RepeatableWrite): Promise<T | undefined>;
  /** Removes rows older than a day, in bounded steps */
  purge(): Promise<void>;
}

/** Hashes are keyed per account and responses are sealed, so the table reveals nothing on disk (security.md, "At rest"). */
export function createIdempotency(db: Db, ring: SecretRing, indexSecret: Buffer): Idempotency {
  const hashes = (write: RepeatableWrite) => {
    const key = indexKey(indexSecret, 'idem', write.accountId.toString('hex'));
    return {
      keyHash: Buffer.from(keyedHash(key, 'key', write.route, write.key)),
      bodyHash: Buffer.from(keyedHash(key, 'body', write.bodySha256)),
    };
  };
  const placeOf = (write: RepeatableWrite, keyHash: Buffer) => ({
    jobId: keyHash.toString('hex'),
    account: write.accountId.toString('hex'),
    namespace: write.route,
    column: 'answer',
  });
  async function knownAnswer<T>(write: RepeatableWrite): Promise<T | undefined> {
    const { keyHash, bodyHash } = hashes(write);
    const row = await readIdempotencyRow(db, write, keyHash);
    if (!row) return undefined;
    if (!row.bodyHash.equals(bodyHash)) throw new ApiError('idempotency_key_reused');
    return JSON.parse(Buffer.from(openCell(ring, placeOf(write, keyHash), row.answer)).toString('utf8'));
  }
  return {
    knownAnswer,
    rowFor(write, answered) {
      const { keyHash, bodyHash } = hashes(write);
      const { accountId, delegatePk, route } = write;
      const answer = Buffer.from(
        sealCell(ring, placeOf(write, keyHash), Buffer.from(JSON.stringify(answered))),
      );
      return { accountId, delegatePk, route, keyHash, bodyHash, answer };
    },
    async earlierAnswer<T>(write: RepeatableWrite) {
      const answer = await knownAnswer<T>(write);
      if (answer === undefined) throw new ApiError('internal_error');
      return answer;
    },
    purge: () => deleteOldKeys(db),
  };
}
