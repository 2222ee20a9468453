import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { delegateAddress, delegateProofMessage } from '@memrelay/chain/delegate-key';
import { bcs } from '@mysten/sui/bcs';
import { blake2b } from '@noble/hashes/blake2.js';

/**
 * The participants of the scenarios. Everything is derived from fixed seeds, so that the vectors are reproducible.
 */

export interface Person {
  name: string;
  address: string;
}

/** A participant with a key, whose address is derived from the key. */
export interface Delegate extends Person {
  /** Hex */
  publicKey: string;
  /** Ed25519 signature over any message, hex */
  sign(message: Uint8Array): string;
}

export const alice = person('alice', 'a1');
export const bob = person('bob', 'b0');
export const carol = person('carol', 'ca');
export const mallory = person('mallory', 'ee');

function person(name: string, byte: string): Person {
  return { name, address: `0x${byte.repeat(32)}` };
}

/** The `n`th delegate, from 0. */
export function delegate(n: number): Delegate {
  // RFC 8410: the DER header of an Ed25519 private key, and its 32-byte seed.
  const der = Buffer.from(
    `302e020100300506032b657004220420${n.toString(16).padStart(2, '0').repeat(32)}`,
    'hex',
  );
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    name: `delegate${n}`,
    address: delegateAddress(publicKey),
    publicKey: publicKey.toString('hex'),
    sign: (message) => sign(null, message, privateKey).toString('hex'),
  };
}

export const [phone, laptop, server] = [delegate(1), delegate(2), delegate(3)] as const;

/** In a scenario the transaction digest is the sender's address, so an owner's account always has this id. */
export function accountIdOf(owner: Person): string {
  return objectId(bcs.Address.serialize(owner.address).toBytes(), 0);
}

/** The id of the `n`th object that a transaction creates, as Sui derives it. */
export function objectId(transactionDigest: Uint8Array, n: number): string {
  const preimage = Buffer.concat([Uint8Array.of(0xf1), transactionDigest, bcs.u64().serialize(n).toBytes()]);
  return bcs.Address.parse(blake2b(preimage, { dkLen: 32 }));
}

/** The delegate's consent to be added to the owner's account. */
export function proofOf(who: Delegate, owner: Person): string {
  return who.sign(delegateProofMessage(accountIdOf(owner)));
}

/** Namespace tag number `n`, hex. */
export function tag(n: number): string {
  return n.toString(16).padStart(2, '0').repeat(16);
}

export interface IdentityParts {
  /** Hex of 16 bytes; `tag(1)` when absent */
  tag?: string;
  epoch?: bigint | number;
}

/** A Seal identity of the memories of `origin`, hex. */
export function identity(origin: Person, parts: IdentityParts = {}): string {
  return origin.address.slice(2) + (parts.tag ?? tag(1)) + littleEndian(parts.epoch ?? 0);
}

export function littleEndian(value: bigint | number): string {
  return Buffer.from(bcs.u64().serialize(value).toBytes()).toString('hex');
}
