import { looseAddressPattern, normalizeAddress } from '@memrelay/protocol/address';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';

/** Whether it is an address or object id as clients write it: up to 32 bytes of hex, leading zeros left out or not. */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && looseAddressPattern.test(value);
}

/** An address or object id of a request in full length. Throws `RequestRefused`; `field` names it. */
export function requireAddress(value: unknown, field: string): string {
  if (!isAddress(value)) {
    throw new RequestRefused(grpcStatus.invalidArgument, `${field} is not an address`);
  }
  return normalizeAddress(value);
}

/** As Sui's full nodes. */
const maxBatch = 1000;

/** Throws `RequestRefused` for a batch that requests too much at once. */
export function checkBatch(batch: readonly unknown[]): void {
  if (batch.length > maxBatch) {
    throw new RequestRefused(grpcStatus.invalidArgument, `a batch has at most ${maxBatch} requests`);
  }
}

/** The page to read: at most `most` items, `usual` when the client does not say. */
export function pageSize(asked: number | undefined, usual = 50, most = 1000): number {
  return Math.min(asked || usual, most);
}
