import { bcs } from '@mysten/sui/bcs';
import { blake2b } from '@noble/hashes/blake2.js';

/** Sui's signature scheme flag of Ed25519. */
const ed25519Flag = 0x00;
const proofPrefix = new TextEncoder().encode('memrelay-delegate-v1');

/** The Sui address of an Ed25519 public key: blake2b256(00 ‖ key). The account module checks it. */
export function delegateAddress(publicKey: Uint8Array): string {
  const preimage = Uint8Array.of(ed25519Flag, ...publicKey);
  return bcs.Address.parse(blake2b(preimage, { dkLen: 32 }));
}

/**
 * The message that a delegate signs to consent to be added to an account: "memrelay-delegate-v1" ‖ account id. The
 * 64-byte Ed25519 signature is the `proof` of `add_delegate_key_scoped`.
 */
export function delegateProofMessage(accountId: string): Uint8Array {
  return Uint8Array.of(...proofPrefix, ...bcs.Address.serialize(accountId).toBytes());
}
