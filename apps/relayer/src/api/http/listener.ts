import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';
import { createHostRules, type HostRules, isLoopbackAddress } from '@memrelay/protocol/host-rules';
import { isLoopbackHost } from '@memrelay/protocol/loopback-host';
import { listenAddress } from '@memrelay/protocol/loopback-listener-node';
import type { Logger } from 'pino';
import { ConfigError } from '../../base/config/config-error.ts';

export interface ListenerOptions {
  /** MEM_LISTEN_HOST */
  listenHost: string;
  /** ALLOWED_HOSTS */
  allowedHosts: readonly string[];
  /** PUBLIC_RELAYER_URL: proxies and tunnels may send its name as `Host` */
  publicUrl: string | undefined;
  trustedProxyHops: number;
}

export interface Listener {
  hosts: HostRules;
  /** The URL at which processes on this machine reach the server */
  urlAt(port: number): string;
}

/**
 * Determines the address to listen on and the host names that clients may use. Run it before anything else starts: it
 * throws `ConfigError` if this machine does not have the address.
 */
export async function prepareListener(options: ListenerOptions, log: Logger): Promise<Listener> {
  const { listenHost, allowedHosts, publicUrl, trustedProxyHops } = options;
  const address = await bindableAddress(listenHost);
  const isLoopback = isLoopbackAddress(address);
  // Without configured names, a loopback listener accepts loopback names only; any other listener accepts all names
  const names = isLoopback || allowedHosts.length > 0 ? [...allowedHosts, ...publicName(publicUrl)] : [];
  if (!isLoopback && names.length === 0)
    log.warn(
      'ALLOWED_HOSTS is not set: requests with any Host header are answered. Set it to the names that clients use (protection against DNS rebinding)',
    );
  if (isLoopback && names.length === 0 && trustedProxyHops > 0)
    log.warn(
      'TRUSTED_PROXY_HOPS is set but ALLOWED_HOSTS is not: if the proxy keeps the Host header of the client, requests are refused with host_not_allowed. Set ALLOWED_HOSTS to the names that clients use',
    );
  return {
    hosts: createHostRules({ isLoopback, listenHost, allowedHosts: names }),
    urlAt: (port) => `http://${reachableName(listenHost, address)}:${port}`,
  };
}

/** The host of the public URL; empty for a loopback URL, because loopback names have separate rules. */
function publicName(publicUrl: string | undefined): string[] {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  return url === null || isLoopbackHost(url.hostname) ? [] : [url.host];
}

/** Resolves a name to the address that Node will bind. Throws `ConfigError` if this machine does not have it. */
async function bindableAddress(host: string): Promise<string> {
  try {
    const address = await listenAddress(host);
    const probe = createServer().listen({ host: address, port: 0 });
    await once(probe, 'listening');
    probe.close();
    return address;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `MEM_LISTEN_HOST: this machine cannot listen on this address (${code ?? 'unknown reason'})`,
    ]);
  }
}

function reachableName(listenHost: string, address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(listenHost) ? `[${address}]` : listenHost;
}
