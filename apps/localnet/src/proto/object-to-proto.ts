import { GrpcTypes } from '@mysten/sui/grpc';
import { coinBalance } from '../execution/coin.ts';
import type { ModuleRegistry } from '../execution/modules.ts';
import { encodeObject } from '../execution/object-bcs.ts';
import { coinTypeOf, packageType } from '../execution/type-tags.ts';
import type { ChainObject, Owner } from '../execution/types.ts';

export function ownerToProto(owner: Owner): GrpcTypes.Owner {
  const kinds = GrpcTypes.Owner_OwnerKind;
  switch (owner.kind) {
    case 'address':
      return { kind: kinds.ADDRESS, address: owner.address };
    case 'object':
      return { kind: kinds.OBJECT, address: owner.parent };
    case 'shared':
      return { kind: kinds.SHARED, version: owner.initialVersion };
    case 'immutable':
      return { kind: kinds.IMMUTABLE };
  }
}

/**
 * All fields of an object. A read mask reduces them later. `wants` returns whether an expensive field is requested.
 */
export function objectToProto(
  object: ChainObject,
  modules: ModuleRegistry,
  wants: (path: string) => boolean,
): GrpcTypes.Object {
  const hasPublicTransfer = modules.hasPublicTransfer(object.type);
  const coin = coinTypeOf(object.type) !== undefined;
  return GrpcTypes.Object.create({
    objectId: object.id,
    version: object.version,
    digest: object.digest,
    owner: ownerToProto(object.owner),
    objectType: object.type,
    previousTransaction: object.previousTransaction,
    storageRebate: 0n,
    ...(object.type !== packageType && {
      hasPublicTransfer,
      contents: { name: object.type, value: object.contents },
    }),
    ...(wants('bcs') && { bcs: { name: 'Object', value: encodeObject(object, hasPublicTransfer) } }),
    ...(coin && { balance: coinBalance(object) }),
  });
}
