import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { toHex } from '@memrelay/protocol/bytes';
import { ed25519 } from '@noble/curves/ed25519.js';

/** Mirrors the Move module `keys`: checks on public keys. */

export const keyLength = 32;

/** Encodings, top bit cleared, of small order on Ed25519 (y) and X25519 (u) alike: 0, 1, p-1, p and p+1. */
const smallOrderBoth = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];
const smallOrderEd25519 = new Set([
  ...smallOrderBoth,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);
const smallOrderX25519 = new Set([
  ...smallOrderBoth,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
]);

/** `key` has 32 bytes. */
export function isSmallOrderEd25519(key: Uint8Array): boolean {
  return smallOrderEd25519.has(withoutTopBit(key));
}

/** `key` has 32 bytes. */
export function isSmallOrderX25519(key: Uint8Array): boolean {
  return smallOrderX25519.has(withoutTopBit(key));
}

/** Whether `proof` is the key's signature of consent to `accountId`. Verifies as Sui does, by ZIP-215. */
export function provesConsent(proof: Uint8Array, key: Uint8Array, accountId: string): boolean {
  if (proof.length !== 64) return false;
  return ed25519.verify(proof, delegateProofMessage(accountId), key, { zip215: true });
}

function withoutTopBit(key: Uint8Array): string {
  const masked = Uint8Array.from(key);
  masked[keyLength - 1]! &= 0x7f;
  return toHex(masked);
}
