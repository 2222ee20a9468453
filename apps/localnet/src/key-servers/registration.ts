import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { bcs } from '@mysten/sui/bcs';
import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { GenesisField, GenesisObject } from '../chain/policy.ts';

/**
 * The only version of the registration that the localnet writes. The SDK requests the highest version that it
 * supports.
 */
const version = 2n;

const keyServer = bcs.struct('KeyServer', {
  id: bcs.Address,
  firstVersion: bcs.u64(),
  lastVersion: bcs.u64(),
});

const keyServerV2 = bcs.struct('KeyServerV2', {
  name: bcs.string(),
  /** 0 = Boneh-Franklin on BLS12-381 */
  keyType: bcs.u8(),
  publicKey: bcs.byteVector(),
  serverType: bcs.enum('ServerType', {
    Independent: bcs.struct('Independent', { url: bcs.string() }),
    Committee: bcs.struct('Committee', {
      version: bcs.u32(),
      threshold: bcs.u16(),
      members: bcs.vector(
        bcs.struct('PartialKeyServer', {
          name: bcs.string(),
          url: bcs.string(),
          publicKey: bcs.byteVector(),
          partyId: bcs.u16(),
        }),
      ),
    }),
  }),
});

/** The object id of the key server with this public key: the same at every boot with the same seed. */
export function keyServerObjectId(publicKey: Uint8Array): string {
  const input = concatBytes(utf8ToBytes('memrelay-localnet-key-server-v1'), publicKey);
  return `0x${toHex(blake2b(input, { dkLen: 32 }))}`;
}

/** A member of a committee, which has a share of its master key. */
export interface RegisteredMember {
  readonly name: string;
  readonly url: string;
  /** G2 point of its share, 96 bytes */
  readonly publicKey: Uint8Array;
  /** Counted from 0 */
  readonly partyId: number;
}

/** A key server as Seal's Move package registers it: the parent object and its version 2 field. */
export function registration(server: {
  objectId: string;
  name: string;
  publicKey: Uint8Array;
  sealPackageId: string;
  serverType:
    | { Independent: { url: string } }
    | { Committee: { version: number; threshold: number; members: readonly RegisteredMember[] } };
}): { object: GenesisObject; field: GenesisField } {
  const { objectId, name, publicKey, sealPackageId, serverType } = server;
  return {
    object: {
      objectId,
      type: `${sealPackageId}::key_server::KeyServer`,
      contents: keyServer.serialize({ id: objectId, firstVersion: version, lastVersion: version }).toBytes(),
    },
    field: {
      parent: objectId,
      nameType: 'u64',
      name: bcs.u64().serialize(version).toBytes(),
      valueType: `${sealPackageId}::key_server::KeyServerV2`,
      value: keyServerV2.serialize({ name, keyType: 0, publicKey, serverType }).toBytes(),
    },
  };
}

/** An object id as 32 bytes. */
export function objectIdBytes(objectId: string): Uint8Array {
  return fromHex(objectId);
}
