import { createHash } from 'node:crypto';
import { parseHeader } from '@memrelay/envelope/header';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Db } from '../base/db/db.ts';
import { wrapsColumn } from './namespace-keys.ts';

/** Remembers of which pairs it was seen that the wrapped half belongs to the public one (security.md, "Envelope v1"). */
export interface VerifiedKeys {
  /**
   * Marks the pairs of envelopes that a credential just opened, which includes that comparison. A pair that stands
   * under other wraps in its row is not marked: its own were not opened. Does not wait and does not throw.
   */
  mark(accountId: Buffer, opened: readonly Buffer[]): void;
}

export function createVerifiedKeys(db: Db, log: Logger): VerifiedKeys {
  /** Pairs that need no further statement of this process */
  const seen = new LRUCache<string, true>({ max: 20_000 });

  async function markRow(place: readonly (Buffer | number)[]): Promise<void> {
    const { rowCount } = await db.query(
      `UPDATE namespace_key SET verified_at = now()
       WHERE account_id = $1 AND tag = $2 AND key_epoch = $3 AND recipient_pk = $4 AND wraps = $5
         AND verified_at IS NULL`,
      place,
    );
    if (rowCount > 0)
      log.info({ account_id: `0x${(place[0] as Buffer).toString('hex')}` }, 'a namespace key is verified');
  }

  return {
    mark(accountId, opened) {
      for (const envelope of opened) {
        const { identity, tag, keyEpoch, recipientPk, wraps } = parseHeader(envelope, envelope.length);
        const column = wrapsColumn(wraps);
        const digest = createHash('sha256')
          .update(accountId)
          .update(identity)
          .update(recipientPk)
          .update(column);
        const name = digest.digest('base64');
        if (seen.has(name)) continue;
        seen.set(name, true);
        const place = [accountId, Buffer.from(tag), Number(keyEpoch), Buffer.from(recipientPk), column];
        markRow(place).catch((error: unknown) => {
          seen.delete(name);
          log.warn({ err: error }, 'a namespace key could not be marked as verified; the next read does it');
        });
      }
    },
  };
}
