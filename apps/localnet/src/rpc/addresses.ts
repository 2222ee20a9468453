import { normalizeSuiAddress } from '@mysten/sui/utils';
import { grpcStatus, RequestRefused } from '../chain/failure.ts';

/** An address or object id of a request in full length. Throws `RequestRefused`; `field` names it. */
export function requireAddress(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^(0x)?[0-9a-fA-F]{1,64}$/.test(value)) {
    throw new RequestRefused(grpcStatus.invalidArgument, `${field} is not an address`);
  }
  return normalizeSuiAddress(value);
}

/** The page to read: at most `most` items, `usual` when the client does not say. */
export function pageSize(asked: number | undefined, usual = 50, most = 1000): number {
  return Math.min(asked || usual, most);
}
