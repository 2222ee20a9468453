import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { SessionCache } from '@memrelay/sdk/types';
import { LRUCache } from 'lru-cache';
import type { ToolCredential } from './credential.ts';

/** The lifetime of an SDK decryption session. */
const sessionMs = 10 * 60_000;

/**
 * Creates the SDK clients of tool calls. A client exists for one call. Its decryption session, which can read for ten minutes
 * but sign nothing, is cached for later calls with the same credential, so that not every call has to fetch a key.
 */
export function createClientMaker(options: { relayerUrl: string; packageId: string }) {
  const caches = new LRUCache<string, SessionCache>({ max: 5_000, ttl: sessionMs });
  return (credential: ToolCredential): ((delegateKey: string) => MemRelay) => {
    const { accountId, binding } = credential;
    return (key) => {
      let sessionCache = caches.get(binding);
      if (!sessionCache) {
        sessionCache = {};
        caches.set(binding, sessionCache);
      }
      return MemRelay.create({
        key,
        accountId,
        serverUrl: options.relayerUrl,
        packageId: options.packageId,
        sessionCache,
      });
    };
  };
}
