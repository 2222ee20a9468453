import { type Blob, blobIdDerivationBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import { blake2b256 } from '../execution/hash.ts';
import { MoveAbort } from '../execution/native.ts';

/** Abort codes of Walrus' module `blob`. */
export const blobAborts = {
  notCertified: 0,
  notDeletable: 1,
  resourceBounds: 2,
  resourceSize: 3,
  alreadyCertified: 5,
  invalidBlobId: 6,
  duplicateMetadata: 7,
  missingMetadata: 8,
  invalidPersistence: 9,
  invalidBlobObject: 10,
} as const;

export function blobFailure(code: number, functionName: string): MoveAbort {
  return new MoveAbort(code, 'blob', functionName);
}

/** The blob id for a root hash and a size, as the integer that the contract uses. */
export function deriveBlobId(rootHash: bigint, encodingType: number, size: number): bigint {
  const derivation = { encoding_type: encodingType, size, root_hash: rootHash };
  return BigInt(bcs.u256().parse(blake2b256(blobIdDerivationBcs.serialize(derivation).toBytes())));
}

/** Throws `MoveAbort` unless the blob is certified and has not expired. */
export function requireCertified(blob: Blob, epoch: number): void {
  if (blob.certified_epoch === null)
    throw blobFailure(blobAborts.notCertified, 'assert_certified_not_expired');
  if (epoch >= blob.storage.end_epoch)
    throw blobFailure(blobAborts.resourceBounds, 'assert_certified_not_expired');
}
