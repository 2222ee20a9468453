import { createHash } from 'node:crypto';
import { copyPrivateKey } from '@memrelay/envelope/node-primitives';
import { normalizeAddress } from '@memrelay/protocol/address';
import type { Logger } from 'pino';
import type { DecryptSession } from './decrypt-session.ts';
import type { KeyServerDirectory } from './key-server-directory.ts';
import type { KeyServerNetwork } from './key-server-fetch.ts';
import { type KeyHolding, PrivateKeyCache } from './private-key-cache.ts';
import { readWrap } from './read-wrap.ts';
import type { SealPool } from './seal-pool.ts';
import type { AccountRef, UnwrapFailure, UnwrapItem, UnwrapResult } from './seal-tasks.ts';
import type { ServerSet, ServerSets } from './server-sets.ts';

/**
 * Identities per request to the key servers. They accept up to 100, but each costs about 60 ms of arithmetic here, so a
 * large batch is split among the threads.
 */
const maxIdsPerRequest = 8;

/** One wrap to open, and the callback for its result. */
interface Pending {
  readonly item: UnwrapItem;
  readonly set: ServerSet;
  readonly settle: (result: UnwrapResult) => void;
}

export interface KeyUnwrapperParts {
  readonly directory: KeyServerDirectory;
  readonly pool: SealPool;
  readonly sets: ServerSets;
  readonly network: KeyServerNetwork;
  readonly logger: Logger;
}

/** Opens wrapped namespace keys for callers that the account's policy allows. */
export class KeyUnwrapper {
  readonly #parts: KeyUnwrapperParts;
  readonly #cache = new PrivateKeyCache();
  /** Wraps being opened, by account, session and wrap: parallel recalls of one session share the work. */
  readonly #inFlight = new Map<string, Promise<UnwrapResult>>();

  constructor(parts: KeyUnwrapperParts) {
    this.#parts = parts;
  }

  /**
   * Returns one result per item, in order; never throws because of an item or a key server. Keys of a session are
   * cached until it expires or `dropAccount` is called. The caller owns the returned keys, and must have checked
   * that the request's signer may read these tags (security.md, "Requests and sessions").
   */
  async unwrapKeys(
    session: DecryptSession,
    account: AccountRef,
    items: readonly UnwrapItem[],
  ): Promise<UnwrapResult[]> {
    if (session.expiresAtMs <= Date.now()) {
      return items.map(() => ({ ok: false, reason: 'denied', message: 'the session has expired' }));
    }
    const ref = { ...account, objectId: normalizeAddress(account.objectId) };
    const holding = this.#cache.open(ref.objectId, session);
    const pending: Pending[] = [];
    const results = items.map((item) => this.#find(`${ref.objectId}/${session.id}`, holding, item, pending));
    this.#open(session, ref, pending);
    return Promise.all(results.map(async (result) => ownCopy(await result)));
  }

  /** Removes all keys of an account, because its state on chain changed. */
  dropAccount(accountId: string): void {
    const id = normalizeAddress(accountId);
    this.#cache.dropAccount(id);
    // Requests that started before the change continue, but later requests do not join them.
    for (const name of [...this.#inFlight.keys()]) {
      if (name.startsWith(`${id}/`)) this.#inFlight.delete(name);
    }
  }

  /** Removes all keys of all accounts. */
  clear(): void {
    this.#cache.clear();
    this.#inFlight.clear();
  }

  #find(
    owner: string,
    holding: KeyHolding,
    item: UnwrapItem,
    pending: Pending[],
  ): UnwrapResult | Promise<UnwrapResult> {
    const keyName = `${hex(item.identity)}/${hex(item.recipientPk)}`;
    const privateKey = holding.get(keyName);
    if (privateKey) return { ok: true, privateKey };
    // Includes the wrap, so that an invalid wrap does not fail a valid wrap of the same key.
    const name = `${owner}/${keyName}/${createHash('sha256').update(item.wrap).digest('hex')}`;
    const joined = this.#inFlight.get(name);
    if (joined) return joined;

    let set: ServerSet;
    try {
      set = readWrap(item.wrap, item.identity, {
        ...this.#parts,
        packageId: this.#parts.directory.packageId,
      });
    } catch (error) {
      return { ok: false, reason: 'malformed', message: (error as RangeError).message };
    }
    const { promise, resolve } = Promise.withResolvers<UnwrapResult>();
    this.#inFlight.set(name, promise);
    const settle = (result: UnwrapResult) => {
      if (result.ok) holding.set(keyName, result.privateKey);
      if (this.#inFlight.get(name) === promise) this.#inFlight.delete(name);
      resolve(result);
    };
    pending.push({ item, set, settle });
    return promise;
  }

  /** Starts the pending tasks: one per set and batch of identities. */
  #open(session: DecryptSession, account: AccountRef, pending: readonly Pending[]): void {
    for (const [set, ofSet] of Map.groupBy(pending, (each) => each.set)) {
      const byIdentity = [...Map.groupBy(ofSet, (each) => hex(each.item.identity)).values()];
      const size = Math.ceil(byIdentity.length / Math.ceil(byIdentity.length / maxIdsPerRequest));
      for (let i = 0; i < byIdentity.length; i += size) {
        void this.#run(session, account, set, byIdentity.slice(i, i + size).flat());
      }
    }
  }

  async #run(
    session: DecryptSession,
    account: AccountRef,
    set: ServerSet,
    batch: readonly Pending[],
  ): Promise<void> {
    const { directory, pool, network, logger } = this.#parts;
    let results: UnwrapResult[];
    try {
      const snapshot = await directory.snapshot(set);
      const items = batch.map(({ item }) => detached(item));
      results = await pool.unwrapKeys({ snapshot, network, session: session.exportKey(), account, items });
    } catch (error) {
      logger.warn({ err: error, serverSet: set.id }, 'unwrapping keys failed');
      const message = error instanceof Error ? error.message : 'unwrapping failed';
      results = batch.map((): UnwrapFailure => ({ ok: false, reason: 'unavailable', message }));
    }
    for (const [i, { settle }] of batch.entries()) settle(results[i]!);
  }
}

/** Copies the bytes: a view would send its whole underlying buffer to the worker. */
function detached({ identity, recipientPk, wrap }: UnwrapItem): UnwrapItem {
  return {
    identity: new Uint8Array(identity),
    recipientPk: new Uint8Array(recipientPk),
    wrap: new Uint8Array(wrap),
  };
}

function ownCopy(result: UnwrapResult): UnwrapResult {
  return result.ok ? { ok: true, privateKey: copyPrivateKey(result.privateKey) } : result;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
