import { randomBytes } from 'node:crypto';
import { toBase58 } from '@mysten/sui/utils';
import type { EventId, ObjectRecord, PaidObject } from './blob-registry.ts';

/** A random object id, for registries without a chain: `0x` and 64 hex digits. */
export function newObjectId(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

/** A random event id in the format of a chain. */
export function newEvent(): EventId {
  return { txDigest: toBase58(randomBytes(32)), eventSeq: '0' };
}

/** A certified object with its cost, in FROST. */
export function toPaid({ object, sharedBlobObject }: ObjectRecord, cost: number): PaidObject {
  const { certifiedEpoch } = object;
  if (certifiedEpoch === null) throw new Error('paid for an object without a certificate');
  const shared = sharedBlobObject === undefined ? {} : { sharedBlobObject };
  return { object: { ...object, certifiedEpoch }, cost, ...shared };
}
