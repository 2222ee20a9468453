import type { IncomingHttpHeaders } from 'node:http';
import { KeyServerError } from './key-server-error.ts';

/** Oldest client versions that Seal's server 0.6 accepts. Other SDK types only need to send a version. */
const oldest: Readonly<Record<string, readonly [number, number, number]>> = {
  typescript: [0, 4, 5],
};

/** Rejects clients as Seal's server does: no version, an invalid one, or one that is too old. */
export function checkSdkHeaders(headers: IncomingHttpHeaders): void {
  const version = headers['client-sdk-version'];
  if (typeof version !== 'string') {
    throw new KeyServerError('MissingRequiredHeader', 'Missing required header: Client-Sdk-Version');
  }
  const parts = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version)?.slice(1, 4).map(Number);
  if (!parts) throw new KeyServerError('InvalidSDKVersion', 'Invalid SDK version');
  const type = headers['client-sdk-type'];
  const minimum = typeof type === 'string' ? oldest[type] : undefined;
  if (minimum && compare(parts, minimum) < 0) {
    throw new KeyServerError('DeprecatedSDKVersion', 'Deprecated SDK version, please upgrade');
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
