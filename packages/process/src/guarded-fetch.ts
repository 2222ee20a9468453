import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';

/** Calls to addresses that others chose: key servers from the chain, webhooks of clients (security.md, "Tools, sign-in, pages"). */

const privateRanges = [
  // This network, private, shared by carriers, loopback, link-local (also of cloud metadata)
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  // Protocol assignments, private, benchmarks, multicast and reserved
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  // Unspecified, loopback and IPv4-compatible; IPv4 behind NAT64, 6to4 and Teredo; discarded
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '100::/64'],
  // Unique local, link-local, site-local, multicast
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];
const privateAddresses = new BlockList();
for (const range of privateRanges) {
  const [address, bits] = range.split('/') as [string, string];
  privateAddresses.addSubnet(address, Number(bits), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/**
 * True for loopback, private, link-local and other addresses that are not on the public internet, also for IPv4 addresses
 * that are written as IPv6.
 */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, familyOf(address));
}

/** A host that is not on the public internet was not called. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
  readonly code = 'private_address';

  constructor(host: string) {
    super(`${host} has a private address`);
  }
}

/** Checks exactly the addresses that are then connected to, so that a name cannot resolve differently the second time. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    if (addresses.some(({ address }) => isPrivateAddress(address)))
      return callback(new PrivateAddressError(hostname), '', 0);
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first!.address, first!.family);
  });
};

/** Rejects with `PrivateAddressError`, alone or as `cause`, for a private address unless `allowPrivate`. */
export type GuardedFetch = (
  url: string,
  init: RequestInit,
  options: { allowPrivate: boolean },
) => Promise<Response>;

export interface GuardedFetchOptions {
  /** Bytes; a longer response fails */
  maxResponseSize: number;
  /** Redirects are never followed: they fail (`error`, the default), or are returned as responses (`manual`) */
  redirect?: 'error' | 'manual';
}

export function createGuardedFetch({
  maxResponseSize,
  redirect = 'error',
}: GuardedFetchOptions): GuardedFetch {
  const openAgent = new Agent({ maxResponseSize });
  const guardedAgent = new Agent({ maxResponseSize, connect: { lookup: publicLookup } });
  const call = async (url: string, init: object, { allowPrivate }: { allowPrivate: boolean }) => {
    const { hostname } = new URL(url);
    // A literal address is never looked up.
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (!allowPrivate && isIP(literal) && isPrivateAddress(literal)) throw new PrivateAddressError(hostname);
    const dispatcher = allowPrivate ? openAgent : guardedAgent;
    return undiciFetch(url, { ...init, redirect, dispatcher });
  };
  // undici's own types of the same web standard
  return call as unknown as GuardedFetch;
}
