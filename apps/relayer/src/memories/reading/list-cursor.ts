import { timingSafeEqual } from 'node:crypto';
import { indexKey, keyedHash } from '@memrelay/envelope/at-rest';
import { ApiError } from '@memrelay/protocol/errors';
import type { PagePosition } from '../rows/page-rows.ts';

/** What a list contains. A cursor continues only the list that it came from. */
export interface ListedSet {
  accountId: Buffer;
  /** Undefined: all namespaces in scope */
  namespace: string | undefined;
}

const macBytes = 16;
const idLength = 36;

/**
 * An opaque text under a MAC of the index key, so that every relayer on the database can read it and no one else can
 * make one.
 */
export function makeCursor(indexSecret: Uint8Array, set: ListedSet, position: PagePosition): string {
  const place = Buffer.from(`${position.id}${position.createdAt}`);
  return Buffer.concat([macOf(indexSecret, set, place), place]).toString('base64url');
}

/** Throws `invalid_request` for a cursor that was changed, or made for another account or namespace. */
export function readCursor(indexSecret: Uint8Array, set: ListedSet, cursor: string): PagePosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(macBytes);
  const isOurs =
    bytes.length > macBytes &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(macOf(indexSecret, set, place), bytes.subarray(0, macBytes));
  if (!isOurs)
    throw new ApiError('invalid_request', {
      details: { issues: [{ path: 'cursor', message: 'must be the next_cursor of this same list' }] },
    });
  const text = place.toString();
  return { id: text.slice(0, idLength), createdAt: text.slice(idLength) };
}

function macOf(indexSecret: Uint8Array, { accountId, namespace }: ListedSet, place: Buffer): Buffer {
  const key = indexKey(indexSecret, 'list-cursor', accountId.toString('hex'));
  const parts = namespace === undefined ? [place] : [place, namespace];
  return Buffer.from(keyedHash(key, ...parts)).subarray(0, macBytes);
}
