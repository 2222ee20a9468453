import { bcs } from '@mysten/sui/bcs';

/**
 * The Seal identity to which a namespace's key is encrypted: origin address 32 ‖ namespace tag 16 ‖ key epoch u64
 * little-endian. The same 56 bytes are at offset 16 of an envelope.
 */
export interface SealIdentity {
  /** The address that created the account, `0x` and 64 hex digits */
  origin: string;
  /** 16 bytes, never all zero */
  tag: Uint8Array;
  epoch: bigint;
}

export const sealIdentityLength = 56;
const tagStart = 32;
const epochStart = 48;

/** Returns the 56 bytes. Throws `RangeError` on an invalid tag or epoch. */
export function encodeSealIdentity({ origin, tag, epoch }: SealIdentity): Uint8Array<ArrayBuffer> {
  checkTag(tag);
  if (epoch < 0n || epoch > 0xffff_ffff_ffff_ffffn) throw new RangeError('key epoch is not a u64');
  const identity = new Uint8Array(sealIdentityLength);
  identity.set(bcs.Address.serialize(origin).toBytes());
  identity.set(tag, tagStart);
  new DataView(identity.buffer).setBigUint64(epochStart, epoch, true);
  return identity;
}

/** Throws `RangeError` unless it is exactly 56 bytes with a tag that is not all zero. */
export function parseSealIdentity(identity: Uint8Array): SealIdentity {
  if (identity.length !== sealIdentityLength) throw new RangeError('a Seal identity has 56 bytes');
  const tag = identity.slice(tagStart, epochStart);
  checkTag(tag);
  const view = new DataView(identity.buffer, identity.byteOffset, identity.byteLength);
  return {
    origin: bcs.Address.parse(identity.subarray(0, tagStart)),
    tag,
    epoch: view.getBigUint64(epochStart, true),
  };
}

function checkTag(tag: Uint8Array): void {
  if (tag.length !== epochStart - tagStart) throw new RangeError('a namespace tag has 16 bytes');
  if (tag.every((byte) => byte === 0)) throw new RangeError('a namespace tag is never all zero');
}
