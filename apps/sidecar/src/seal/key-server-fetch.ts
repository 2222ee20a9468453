import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import type { ServerSnapshot } from './server-snapshot.ts';

/** How key servers may be called. */
export interface KeyServerNetwork {
  /** Timeout of one request to one key server, in milliseconds */
  readonly timeoutMs: number;
  /** Addresses of key servers come from the chain. Only on a local network may they point to this machine. */
  readonly allowPrivateAddresses: boolean;
}

const privateAddresses = new BlockList();
const privateRanges = ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'];
privateRanges.push('172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3');
privateRanges.push('::/127', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'ff00::/8');
for (const range of privateRanges) {
  const [address, bits] = range.split('/') as [string, string];
  privateAddresses.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** True for loopback, private, link-local and other addresses that are not on the public internet. */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Checks exactly the addresses that are then connected to, so that a name cannot resolve differently the second time. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    if (addresses.some(({ address }) => isPrivateAddress(address))) {
      return callback(new Error(`${hostname} has a private address`), '', 0);
    }
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first!.address, first!.family);
  });
};

/** Maximum response size in bytes. A response has about 500 bytes for each of at most 100 identities. */
const maxResponseSize = 1024 * 1024;
const openAgent = new Agent({ maxResponseSize });
const guardedAgent = new Agent({ maxResponseSize, connect: { lookup: publicLookup } });

/**
 * The `fetch` for a Seal client: no redirects, and no private addresses unless they are allowed or the operator configured
 * them as an aggregator.
 */
export function keyServerFetch(snapshot: ServerSnapshot, network: KeyServerNetwork): typeof fetch {
  const trusted = new Set(
    snapshot.servers.flatMap(({ aggregatorUrl }) => (aggregatorUrl ? [new URL(aggregatorUrl).origin] : [])),
  );
  const call = async (url: string, init: object) => {
    const { origin, hostname } = new URL(url);
    const open = network.allowPrivateAddresses || trusted.has(origin);
    // A literal address is never looked up.
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (!open && isIP(literal) && isPrivateAddress(literal))
      throw new Error(`${hostname} is a private address`);
    return undiciFetch(url, { ...init, redirect: 'error', dispatcher: open ? openAgent : guardedAgent });
  };
  // undici's own types of the same web standard
  return call as unknown as typeof fetch;
}
