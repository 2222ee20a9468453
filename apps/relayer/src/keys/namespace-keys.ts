import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EnvelopeHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { parseSealObject } from '@memrelay/envelope/seal-object';
import { serverSetId, serverSetOf } from '@memrelay/envelope/server-set';
import { decodeWraps, encodeWraps, type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { AccountSnapshot } from '../accounts/account-directory.ts';
import type { Db } from '../base/db/db.ts';
import { hexToBytes } from '../base/db/hex.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';

/** What a writer needs of a namespace: the public half, and the wrapped private half that every envelope carries. */
export interface NamespaceKey {
  recipientPk: Buffer;
  wraps: Wrap[];
}

export interface NamespaceKeys {
  /** The pair for the account's present epoch, made on first use. `tag` is the 16-byte namespace tag. */
  current(account: AccountSnapshot, tag: Uint8Array): Promise<NamespaceKey>;
  /**
   * Keeps a pair that a restore found in an envelope of this relayer's own, so that it goes on being used and can be
   * wrapped anew. Never one of a client's: it would hold the private half of what is written here from then on.
   */
  keep(accountId: string, header: KeyHeader, writtenAt: Date): Promise<void>;
}

/** What an envelope's header tells of the pair it is sealed to. */
export type KeyHeader = Pick<EnvelopeHeader, 'tag' | 'keyEpoch' | 'recipientPk' | 'wraps'>;

/** A pair is used for at most 180 days (security.md, "Envelope v1"). */
const periodMs = 180 * 24 * 3600 * 1000;

interface Row {
  recipient_pk: Buffer;
  wraps: Buffer;
  mac: Buffer;
}

interface KeyPlace {
  accountId: string;
  tag: Uint8Array;
  keyEpoch: number;
  /** Id of the key-server set */
  set: string;
  period: number;
}

function columnsOf({ accountId, tag, keyEpoch, set, period }: KeyPlace): (Buffer | string | number)[] {
  return [hexToBytes(accountId), Buffer.from(tag), keyEpoch, set, period];
}

export function createNamespaceKeys(options: {
  db: Db;
  sidecar: SidecarClient;
  /** Keys the MAC of the rows */
  macKey: Buffer;
  /** Id of the key-server set that new wraps are made for */
  serverSet: () => Promise<string>;
  now?: () => number;
  log: Logger;
}): NamespaceKeys {
  const now = options.now ?? Date.now;
  const cache = new LRUCache<string, Promise<NamespaceKey>>({ max: 20_000 });

  function macOf(
    { accountId, tag, keyEpoch, set, period }: KeyPlace,
    row: Pick<Row, 'recipient_pk' | 'wraps'>,
  ): Buffer {
    return createHmac('sha256', options.macKey)
      .update(JSON.stringify([accountId, Buffer.from(tag).toString('hex'), keyEpoch, set, period]))
      .update(row.recipient_pk)
      .update(row.wraps)
      .digest();
  }

  async function insert(at: KeyPlace, row: Pick<Row, 'recipient_pk' | 'wraps'>): Promise<void> {
    await options.db.query(
      `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, period, recipient_pk, wraps, mac)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [...columnsOf(at), row.recipient_pk, row.wraps, macOf(at, row)],
    );
  }

  async function load(
    account: AccountSnapshot,
    tag: Uint8Array,
    set: string,
    period: number,
  ): Promise<NamespaceKey> {
    const { accountId, keyEpoch } = account;
    const place = { accountId, tag, keyEpoch, set, period };
    const read = async (): Promise<NamespaceKey | undefined> => {
      const { rows } = await options.db.query<Row>(
        `SELECT recipient_pk, wraps, mac FROM namespace_key
         WHERE account_id = $1 AND tag = $2 AND key_epoch = $3 AND server_set = $4 AND period = $5`,
        columnsOf(place),
      );
      const row = rows[0];
      if (!row) return undefined;
      const expected = macOf(place, row);
      if (row.mac.length !== expected.length || !timingSafeEqual(row.mac, expected)) {
        options.log.error({ account_id: account.accountId }, 'a namespace key row does not match its MAC');
        throw new ApiError('internal_error');
      }
      return { recipientPk: row.recipient_pk, wraps: decodeColumn(row.wraps) };
    };

    const found = await read();
    if (found) return found;
    const made = await options.sidecar.makeKey({
      origin: account.origin,
      tag: Buffer.from(tag).toString('hex'),
      key_epoch: account.keyEpoch,
      ...(account.recoveryPk ? { recovery_pk: account.recoveryPk } : {}),
    });
    // A sidecar that was started anew with other key servers: what it wraps must not stand under this set
    if (made.server_set !== set)
      throw new ApiError('sidecar_unavailable', { cause: new Error('the sidecar has other key servers') });
    const row = {
      recipient_pk: Buffer.from(made.recipient_pk, 'hex'),
      wraps: wrapsColumn(
        made.wraps.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes, 'base64') })),
      ),
    };
    await insert(place, row);
    // Another relayer may have been first: every writer must use the row that stands
    return (await read()) ?? { recipientPk: row.recipient_pk, wraps: decodeColumn(row.wraps) };
  }

  return {
    async current(account, tag) {
      const set = await options.serverSet();
      const period = Math.floor(now() / periodMs);
      const key = [account.accountId, Buffer.from(tag).toString('hex'), account.keyEpoch, set, period].join(
        '/',
      );
      const cached = cache.get(key);
      if (cached) return cached;
      const loading = load(account, tag, set, period);
      cache.set(key, loading);
      loading.catch(() => cache.delete(key));
      return loading;
    },
    async keep(accountId, { tag, keyEpoch, recipientPk, wraps }, writtenAt) {
      const sealed = wraps.find(({ type }) => type === wrapType.seal);
      if (!sealed) return;
      const set = serverSetId(nodePrimitives, serverSetOf(parseSealObject(sealed.bytes)));
      const period = Math.floor(writtenAt.getTime() / periodMs);
      const row = { recipient_pk: Buffer.from(recipientPk), wraps: wrapsColumn(wraps) };
      await insert({ accountId, tag, keyEpoch: Number(keyEpoch), set, period }, row);
    },
  };
}

/** How a row keeps its wraps: `count u8`, then the wraps as they stand in the envelope header. */
export function wrapsColumn(wraps: readonly Wrap[]): Buffer {
  return Buffer.concat([Uint8Array.of(wraps.length), encodeWraps(wraps)]);
}

/** The wraps of a row. Throws `EnvelopeError` when it is not of that form. */
export function decodeColumn(column: Buffer): Wrap[] {
  return decodeWraps(column.subarray(1), column[0]!);
}
