import { normalizeAddress } from '@memrelay/protocol/address';
import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { SealCompatibleClient } from '@mysten/seal';
import type { Logger } from 'pino';
import type { ServerSet } from './server-sets.ts';
import { readServerSnapshot, type ServerSnapshot } from './server-snapshot.ts';

/** Reload after this time: a key server may change its address. Its public key must never change. */
const maxAgeMs = 10 * 60_000;

/**
 * The configured key servers as read from the chain, shared by all sessions. Public keys are pinned from the first read on;
 * `pins` allows comparing them with those of an earlier boot.
 */
export class KeyServerDirectory {
  readonly packageId: string;
  readonly #client: SealCompatibleClient;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #known = new Map<string, { snapshot: ServerSnapshot; readAtMs: number }>();
  readonly #reading = new Map<string, Promise<ServerSnapshot>>();

  constructor(options: {
    client: SealCompatibleClient;
    packageId: string;
    logger: Logger;
    now?: () => number;
  }) {
    this.packageId = normalizeAddress(options.packageId);
    this.#client = options.client;
    this.#logger = options.logger;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The snapshot of a set, at most ten minutes old unless the chain cannot be read. Throws if it has never been read and
   * cannot be, or if a public key has changed.
   */
  async snapshot(set: ServerSet): Promise<ServerSnapshot> {
    const known = this.#known.get(set.id);
    if (known && this.#now() - known.readAtMs < maxAgeMs) return known.snapshot;
    const reading = this.#reading.get(set.id) ?? this.#read(set);
    try {
      return await reading;
    } catch (error) {
      if (!known || error instanceof KeyServerChanged) throw error;
      this.#logger.warn({ err: error, serverSet: set.id }, 'reloading key servers failed');
      return known.snapshot;
    }
  }

  /** Object ids, weights, addresses and public keys of a set. */
  async pins(set: ServerSet): Promise<KeyServersResponse['servers']> {
    const { publicKeys, urls } = await this.snapshot(set);
    return set.servers.map(({ objectId, weight, aggregatorUrl }) => ({
      objectId,
      weight,
      ...(aggregatorUrl === undefined ? {} : { aggregatorUrl }),
      ...(urls.get(objectId) ? { url: urls.get(objectId)! } : {}),
      publicKey: publicKeys.get(objectId)!,
    }));
  }

  async #read(set: ServerSet): Promise<ServerSnapshot> {
    const reading = readServerSnapshot(this.#client, this.packageId, set).then((snapshot) => {
      const before = this.#known.get(set.id)?.snapshot.publicKeys;
      for (const [objectId, publicKey] of snapshot.publicKeys) {
        if (before && before.get(objectId) !== publicKey) throw new KeyServerChanged(objectId);
      }
      this.#known.set(set.id, { snapshot, readAtMs: this.#now() });
      return snapshot;
    });
    this.#reading.set(set.id, reading);
    return reading.finally(() => this.#reading.delete(set.id));
  }
}

/** A key server has a different public key than before, so it is not the server that we trusted. */
export class KeyServerChanged extends Error {
  override name = 'KeyServerChanged';
  readonly objectId: string;

  constructor(objectId: string) {
    super(`the public key of key server ${objectId} has changed`);
    this.objectId = objectId;
  }
}
