import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { SessionCache } from '@memrelay/sdk/types';
import { LRUCache } from 'lru-cache';
import type { ToolCredential } from './credential.ts';

/** As long as a decryption session of the SDK lasts. */
const sessionMs = 10 * 60_000;

/**
 * Makes the SDK clients of tool calls. A client lives for a call; its decryption session, which reads for ten minutes and
 * signs nothing, is kept for the next calls with the same credential, so that not each of them pays for a key anew.
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
