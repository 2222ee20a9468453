import { bcs } from '@mysten/sui/bcs';
import { fromHex, toHex } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { GenesisField, GenesisObject } from '../chain/policy.ts';

/** The only version of the registration we write; the SDK asks for the highest it knows within the range. */
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
  // The committee variant is declared only so that the enum's tags are Seal's.
  serverType: bcs.enum('ServerType', {
    Independent: bcs.struct('Independent', { url: bcs.string() }),
    Committee: null,
  }),
});

/** The object id of the key server with this public key: the same at every boot with the same seed. */
export function keyServerObjectId(publicKey: Uint8Array): string {
  const input = concatBytes(utf8ToBytes('memrelay-localnet-key-server-v1'), publicKey);
  return `0x${toHex(blake2b(input, { dkLen: 32 }))}`;
}

/** An independent key server as Seal's Move package registers it: the parent object and its version 2 field. */
export function registration(server: {
  objectId: string;
  name: string;
  url: string;
  publicKey: Uint8Array;
  sealPackageId: string;
}): { object: GenesisObject; field: GenesisField } {
  const { objectId, name, url, publicKey, sealPackageId } = server;
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
      value: keyServerV2
        .serialize({ name, keyType: 0, publicKey, serverType: { Independent: { url } } })
        .toBytes(),
    },
  };
}

/** An object id as 32 bytes. */
export function objectIdBytes(objectId: string): Uint8Array {
  return fromHex(objectId);
}
