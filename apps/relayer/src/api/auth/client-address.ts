import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The client's address: the socket's address without trusted proxies, else the entry of `x-forwarded-for` that the
 * outermost trusted proxy wrote (number `trustedProxyHops` from the right). Clients can forge the entries further left.
 * If the list is too short or malformed, returns the socket's address.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
  const socketAddress = plainAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
  if (trustedProxyHops === 0) return socketAddress;
  const forwarded = request.headers['x-forwarded-for']?.toString().split(',') ?? [];
  const entry = forwarded.at(-trustedProxyHops);
  return (entry !== undefined && plainAddress(entry.trim())) || socketAddress;
}

/** The unit that limits count per client: an IPv4 address, or the /64 block of an IPv6 address. */
export function addressBlock(address: string): string {
  return isIPv6(address) ? `${ipv6Groups(address).slice(0, 4).join(':')}::/64` : address;
}

/** Removes port and brackets and converts IPv4-mapped IPv6 to IPv4. Undefined if the text is not an address. */
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
