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
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import {
  insertNamespaceKey,
  type KeySlot,
  type NamespaceKeyRow,
  readNamespaceKey,
} from './rows/namespace-key-rows.ts';

/** A namespace's key pair for writers: the public half, and the wrapped private half that is part of every envelope. */
export interface NamespaceKey {
  recipientPk: Buffer;
  wraps: Wrap[];
}

export interface NamespaceKeys {
  /** The pair for the account's current epoch, created on first use. `tag` is the 16-byte namespace tag. */
  current(account: AccountSnapshot, tag: Uint8Array): Promise<NamespaceKey>;
  /**
   * Saves a pair that a restore found in one of this relayer's own envelopes, so that it stays in use and can be
   * rewrapped. Never call this with a client's pair: everything written from then on would be sealed to a key whose
   * private half the client knows.
   */
  keep(accountId: string, header: KeyHeader, writtenAt: Date): Promise<void>;
}

/** The fields of an envelope's header that describe the pair it is sealed to. */
export type KeyHeader = Pick<EnvelopeHeader, 'tag' | 'keyEpoch' | 'recipientPk' | 'wraps'>;

/** A pair is used for at most 180 days (security.md, "Envelope v1"). */
const periodMs = 180 * 24 * 3600 * 1000;

export function createNamespaceKeys(options: {
  db: Db;
  sidecar: SidecarClient;
  /** Key of the MAC over the rows */
  macKey: Buffer;
  /** Id of the key-server set for new wraps */
  serverSet: () => Promise<string>;
  now?: () => number;
  log: Logger;
}): NamespaceKeys {
  const now = options.now ?? Date.now;
  const cache = new LRUCache<string, Promise<NamespaceKey>>({ max: 20_000 });

  function macOf(
    { accountId, tag, keyEpoch, set, period }: KeySlot,
    row: Omit<NamespaceKeyRow, 'mac'>,
  ): Buffer {
    return createHmac('sha256', options.macKey)
      .update(JSON.stringify([accountId, Buffer.from(tag).toString('hex'), keyEpoch, set, period]))
      .update(row.recipientPk)
      .update(row.wraps)
      .digest();
  }

  async function insert(slot: KeySlot, row: Omit<NamespaceKeyRow, 'mac'>): Promise<void> {
    await insertNamespaceKey(options.db, slot, { ...row, mac: macOf(slot, row) });
  }

  async function load(
    account: AccountSnapshot,
    tag: Uint8Array,
    set: string,
    period: number,
  ): Promise<NamespaceKey> {
    const { accountId, keyEpoch } = account;
    const slot = { accountId, tag, keyEpoch, set, period };
    const read = async (): Promise<NamespaceKey | undefined> => {
      const row = await readNamespaceKey(options.db, slot);
      if (!row) return undefined;
      const expected = macOf(slot, row);
      if (row.mac.length !== expected.length || !timingSafeEqual(row.mac, expected)) {
        options.log.error({ account_id: account.accountId }, 'a namespace key row does not match its MAC');
        throw new ApiError('internal_error');
      }
      return { recipientPk: row.recipientPk, wraps: decodeColumn(row.wraps) };
    };

    const found = await read();
    if (found) return found;
    const made = await options.sidecar.makeKey({
      origin: account.origin,
      tag: Buffer.from(tag).toString('hex'),
      key_epoch: account.keyEpoch,
      ...(account.recoveryPk ? { recovery_pk: account.recoveryPk } : {}),
    });
    // The sidecar was restarted with other key servers, so its wraps must not be saved under this set
    if (made.server_set !== set)
      throw new ApiError('sidecar_unavailable', { cause: new Error('the sidecar uses other key servers') });
    const row = {
      recipientPk: Buffer.from(made.recipient_pk, 'hex'),
      wraps: wrapsColumn(
        made.wraps.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes, 'base64') })),
      ),
    };
    await insert(slot, row);
    // Another relayer may have saved a pair first: all writers must use the saved row
    return (await read()) ?? { recipientPk: row.recipientPk, wraps: decodeColumn(row.wraps) };
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
      const row = { recipientPk: Buffer.from(recipientPk), wraps: wrapsColumn(wraps) };
      await insert({ accountId, tag, keyEpoch: Number(keyEpoch), set, period }, row);
    },
  };
}

/** Encodes wraps for a database column: `count u8`, then the wraps as in the envelope header. */
export function wrapsColumn(wraps: readonly Wrap[]): Buffer {
  return Buffer.concat([Uint8Array.of(wraps.length), encodeWraps(wraps)]);
}

/** Decodes the wraps of a row. Throws `EnvelopeError` if the column is malformed. */
export function decodeColumn(column: Buffer): Wrap[] {
  return decodeWraps(column.subarray(1), column[0]!);
}
