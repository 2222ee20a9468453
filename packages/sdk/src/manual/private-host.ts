/**
 * Detects hosts that are not on the public internet. Only the name is checked, because browsers do not expose resolved
 * addresses. A service that acts for others must pass the client a `fetch` that checks the addresses.
 */

type Range = readonly [base: number, bits: number];

const v4 = (a: number, b: number, c: number, d: number): number =>
  ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;

const privateV4: readonly Range[] = [
  [v4(0, 0, 0, 0), 8],
  [v4(10, 0, 0, 0), 8],
  [v4(100, 64, 0, 0), 10],
  [v4(127, 0, 0, 0), 8],
  [v4(169, 254, 0, 0), 16],
  [v4(172, 16, 0, 0), 12],
  [v4(192, 0, 0, 0), 24],
  [v4(192, 168, 0, 0), 16],
  [v4(198, 18, 0, 0), 15],
  [v4(224, 0, 0, 0), 3],
];
const localNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Expects the `hostname` of a URL, which normalises addresses. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host.includes(':')) return isPrivateV6(groupsOf(host));
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (parts) return isPrivateV4(v4(Number(parts[1]), Number(parts[2]), Number(parts[3]), Number(parts[4])));
  return localNames.test(host);
}

function isPrivateV4(address: number): boolean {
  return privateV4.some(([base, bits]) => address >>> (32 - bits) === base >>> (32 - bits));
}

function isPrivateV6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups;
  const embedded = ((groups[6]! << 16) | groups[7]!) >>> 0;
  const zeros = groups.slice(0, 5).every((group) => group === 0);
  // Unspecified, loopback, and IPv4 written as IPv6
  if (zeros && (groups[5] === 0 || groups[5] === 0xffff)) return groups[5] === 0 || isPrivateV4(embedded);
  // NAT64, unique local, link-local, multicast
  if (first === 0x64 && second === 0xff9b) return true;
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || first >= 0xff00;
}

/** The eight groups of an address as URLs write it. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = numbers(head);
  const after = numbers(tail ?? '');
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
