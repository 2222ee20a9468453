import { bcs } from '@mysten/sui/bcs';
import { typedDigest } from './hash.ts';
import { coinTypeOf, packageType, suiType } from './type-tags.ts';
import type { ChainObject, Owner } from './types.ts';

/** Owner in the shape of the SDK's BCS codec. */
export function ownerToBcs(owner: Owner): typeof bcs.Owner.$inferInput {
  switch (owner.kind) {
    case 'address':
      return { AddressOwner: owner.address };
    case 'object':
      return { ObjectOwner: owner.parent };
    case 'shared':
      return { Shared: { initialSharedVersion: owner.initialVersion } };
    case 'immutable':
      return { Immutable: true };
  }
}

function objectTypeToBcs(type: string): typeof bcs.MoveObjectType.$inferInput {
  const coinType = coinTypeOf(type);
  if (coinType === suiType) return { GasCoin: true };
  if (coinType !== undefined) return { Coin: coinType };
  const tag = bcs.TypeTag.serialize(type).toBytes();
  // A TypeTag of a struct is the variant byte and the StructTag.
  return { Other: bcs.StructTag.parse(tag.subarray(1)) };
}

/** BCS of a whole object as a full node returns it; its digest is computed from it. */
export function encodeObject(
  object: Omit<ChainObject, 'digest'>,
  hasPublicTransfer: boolean,
): Uint8Array<ArrayBuffer> {
  const data: typeof bcs.Data.$inferInput =
    object.type === packageType
      ? {
          Package: {
            id: object.id,
            version: object.version,
            moduleMap: new Map(),
            typeOriginTable: [],
            linkageTable: new Map(),
          },
        }
      : {
          Move: {
            type: objectTypeToBcs(object.type),
            hasPublicTransfer,
            version: object.version,
            contents: object.contents,
          },
        };
  return bcs.Object.serialize({
    data,
    owner: ownerToBcs(object.owner),
    previousTransaction: object.previousTransaction,
    storageRebate: 0,
  }).toBytes();
}

/** The object with its digest filled in. */
export function sealObject(object: Omit<ChainObject, 'digest'>, hasPublicTransfer: boolean): ChainObject {
  return { ...object, digest: typedDigest('Object', encodeObject(object, hasPublicTransfer)) };
}
