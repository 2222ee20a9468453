import { createGuardedFetch } from '@memrelay/process/guarded-fetch';
import type { ServerSnapshot } from './server-snapshot.ts';

/** How key servers may be called. */
export interface KeyServerNetwork {
  /** Timeout of one request to one key server, in milliseconds */
  readonly timeoutMs: number;
  /** Addresses of key servers come from the chain. Only on a local network may they point to this machine. */
  readonly allowPrivateAddresses: boolean;
}

/** Bytes of a response: about 500 for each of at most 100 identities. */
const guardedFetch = createGuardedFetch({ maxResponseSize: 1024 * 1024 });

/**
 * The `fetch` for a Seal client: no redirects, and no private addresses unless they are allowed or the operator configured
 * them as an aggregator.
 */
export function keyServerFetch(snapshot: ServerSnapshot, network: KeyServerNetwork): typeof fetch {
  const trusted = new Set(
    snapshot.servers.flatMap(({ aggregatorUrl }) => (aggregatorUrl ? [new URL(aggregatorUrl).origin] : [])),
  );
  const call = (url: string, init: RequestInit) => {
    const allowPrivate = network.allowPrivateAddresses || trusted.has(new URL(url).origin);
    return guardedFetch(url, init, { allowPrivate });
  };
  return call as typeof fetch;
}
