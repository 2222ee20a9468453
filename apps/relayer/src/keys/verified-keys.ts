import { createHash } from 'node:crypto';
import { parseHeader } from '@memrelay/envelope/header';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Db } from '../base/db/db.ts';
import { bytesToAddress } from '../base/db/hex.ts';
import { wrapsColumn } from './namespace-keys.ts';
import { markVerified, type OpenedPair } from './rows/namespace-key-rows.ts';

/**
 * Remembers the pairs whose wrapped private half was verified to match the public half (security.md, "Envelope v1").
 */
export interface VerifiedKeys {
  /**
   * Marks the pairs of envelopes that were just opened, because opening verifies the match. A pair whose row has other
   * wraps is not marked: those were not opened. Does not wait and does not throw.
   */
  mark(accountId: Buffer, opened: readonly Buffer[]): void;
}

export function createVerifiedKeys(db: Db, log: Logger): VerifiedKeys {
  /** Pairs that this process has already marked */
  const seen = new LRUCache<string, true>({ max: 20_000 });

  async function markRow(pair: OpenedPair): Promise<void> {
    if (await markVerified(db, pair))
      log.info({ account_id: bytesToAddress(pair.accountId) }, 'a namespace key is verified');
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
        const pair = {
          accountId,
          tag: Buffer.from(tag),
          keyEpoch: Number(keyEpoch),
          recipientPk: Buffer.from(recipientPk),
          wraps: column,
        };
        markRow(pair).catch((error: unknown) => {
          seen.delete(name);
          log.warn({ err: error }, 'cannot mark a namespace key as verified; the next read will retry');
        });
      }
    },
  };
}
