import { checkWrap } from '@memrelay/envelope/check-wrap';
import type { Wrap } from '@memrelay/envelope/wraps';
import type { Config } from '../config/config.ts';
import type { ServerSets } from './server-sets.ts';

/**
 * The first of these wraps that is for our package, this identity and a configured set of key servers. Throws
 * `EnvelopeError` as `checkWrap`.
 */
export function usableWrap(
  { config, sets }: { config: Pick<Config, 'packageId'>; sets: ServerSets },
  header: { identity: Uint8Array; wraps: Wrap[] },
): Uint8Array {
  return checkWrap(
    { header },
    {
      packageId: bytesOf(config.packageId),
      serverSets: sets.all.map(({ servers, threshold }) => ({
        servers: servers.map(({ objectId, weight }) => ({ objectId: bytesOf(objectId), weight })),
        threshold,
      })),
    },
  ).bytes;
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.slice(2), 'hex');
}
