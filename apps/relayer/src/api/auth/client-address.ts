import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The address of the client: the socket's own with 0 trusted proxies, else the entry of `x-forwarded-for` that the
 * outermost trusted proxy wrote (the hops-th from the right). Entries further left are the client's own claim.
 * A list that is too short or malformed gives the socket's address.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
  const socketAddress = plainAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
  if (trustedProxyHops === 0) return socketAddress;
  const forwarded = request.headers['x-forwarded-for']?.toString().split(',') ?? [];
  const entry = forwarded.at(-trustedProxyHops);
  return (entry !== undefined && plainAddress(entry.trim())) || socketAddress;
}

/** What one client is counted by: an IPv4 address, or the /64 that an IPv6 address belongs to. */
export function addressBlock(address: string): string {
  return isIPv6(address) ? `${ipv6Groups(address).slice(0, 4).join(':')}::/64` : address;
}

/** Without port and brackets, IPv4 in IPv6 as IPv4; undefined for anything that is no address. */
function plainAddress(text: string): string | undefined {
  const withoutPort = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = withoutPort.split('%', 1)[0]!.toLowerCase();
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  const [high, low] = ipv6Groups(address).slice(6) as [string, string];
  if (!isMappedIpv4(address)) return address;
  return [high, low]
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

function isMappedIpv4(address: string): boolean {
  return ipv6Groups(address).slice(0, 6).join(':') === '0:0:0:0:0:ffff';
}

/** The eight groups, lower-case hex without leading zeros. `URL` writes any IPv6 address in its shortest form. */
function ipv6Groups(address: string): string[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left, right] = shortest.split('::') as [string, string | undefined];
  const head = left === '' ? [] : left.split(':');
  if (right === undefined) return head;
  const tail = right === '' ? [] : right.split(':');
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
