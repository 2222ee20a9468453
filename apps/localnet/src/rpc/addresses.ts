import { looseAddressPattern, normalizeAddress } from '@memrelay/protocol/address';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';

/**
 * Whether a value is an address or object id as written by clients: up to 32 bytes of hex, with or without leading
 * zeros.
 */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && looseAddressPattern.test(value);
}

/**
 * Normalizes an address or object id of a request to its full length. Throws `RequestRefused` with the name
 * `field`.
 */
export function requireAddress(value: unknown, field: string): string {
  if (!isAddress(value)) {
    throw new RequestRefused(grpcStatus.invalidArgument, `${field} is not an address`);
  }
  return normalizeAddress(value);
}

/** Maximum number of requests in a batch, as in Sui's full nodes. */
const maxBatch = 1000;

/** Throws `RequestRefused` for a batch that requests too much at once. */
export function checkBatch(batch: readonly unknown[]): void {
  if (batch.length > maxBatch) {
    throw new RequestRefused(grpcStatus.invalidArgument, `a batch has at most ${maxBatch} requests`);
  }
}

/** The number of items in a page: as requested, at most `most`; `usual` if not specified. */
export function pageSize(asked: number | undefined, usual = 50, most = 1000): number {
  return Math.min(asked || usual, most);
}
