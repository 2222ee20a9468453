import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { isLoopbackAddress } from './host-rules.ts';

/** The address that Node binds for a name or an address, IPv6 in its short form. Throws the errors of the DNS lookup. */
export async function listenAddress(host: string): Promise<string> {
  const { address } = await lookup(host);
  const hasShortForm = isIPv6(address) && !address.includes('%');
  return hasShortForm ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** Whether only this machine can reach a server that listens on `host`; false for an unknown name. */
export async function isLoopbackListener(host: string): Promise<boolean> {
  const address = await listenAddress(host).catch(() => undefined);
  return address !== undefined && isLoopbackAddress(address);
}
