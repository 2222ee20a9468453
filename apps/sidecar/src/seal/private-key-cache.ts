import { copyPrivateKey } from '@memrelay/envelope/node-primitives';
import { LRUCache } from 'lru-cache';
import type { DecryptSession } from './decrypt-session.ts';

const maxHoldings = 1000;
const maxKeysPerHolding = 1000;

/** Private keys that one session unwrapped for one account. */
export class KeyHolding {
  readonly #keys = new LRUCache<string, Uint8Array>({
    max: maxKeysPerHolding,
    dispose: (privateKey) => privateKey.fill(0),
  });
  #dropped = false;

  /** Returns a copy, so that dropping the holding does not wipe a key that a caller is using. */
  get(name: string): Uint8Array | undefined {
    const privateKey = this.#keys.get(name);
    return privateKey && copyPrivateKey(privateKey);
  }

  /** Keeps a copy, unless the holding was dropped while the key was being fetched. */
  set(name: string, privateKey: Uint8Array): void {
    if (!this.#dropped) this.#keys.set(name, privateKey.slice());
  }

  /** Overwrites and removes all keys, permanently. */
  drop(): void {
    this.#dropped = true;
    this.#keys.clear();
  }
}

/**
 * Unwrapped keys by account and session, never shared between sessions: a caller with another session must ask the
 * key servers. A holding is removed when its session expires, at the latest.
 */
export class PrivateKeyCache {
  readonly #holdings = new LRUCache<string, KeyHolding>({
    max: maxHoldings,
    ttlAutopurge: true,
    ttl: 30 * 60_000,
    dispose: (holding) => holding.drop(),
  });

  /** Returns the holding, creating it if needed. The session must not have expired. */
  open(accountId: string, session: DecryptSession): KeyHolding {
    const name = `${accountId}/${session.id}`;
    const existing = this.#holdings.get(name);
    if (existing) return existing;
    const holding = new KeyHolding();
    this.#holdings.set(name, holding, { ttl: Math.max(1, session.expiresAtMs - Date.now()) });
    return holding;
  }

  /** Removes the keys that any session unwrapped for this account. */
  dropAccount(accountId: string): void {
    for (const name of [...this.#holdings.keys()]) {
      if (name.startsWith(`${accountId}/`)) this.#holdings.delete(name);
    }
  }

  clear(): void {
    this.#holdings.clear();
  }
}
