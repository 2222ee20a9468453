import { toHex } from '@memrelay/protocol/bytes';
import { toBase58 } from '@mysten/bcs';
import { blake2b } from '@noble/hashes/blake2.js';

const encoder = new TextEncoder();

/** Blake2b-256 over the parts in order. */
export function blake2b256(...parts: Uint8Array[]): Uint8Array {
  const hash = blake2b.create({ dkLen: 32 });
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Sui's digest of a BCS value: Blake2b-256 over `<type name>::` and the bytes, in base58. */
export function typedDigest(typeName: string, bytes: Uint8Array): string {
  return toBase58(blake2b256(encoder.encode(`${typeName}::`), bytes));
}

/** An id derived from the chain's seed: the same seed always gives the same network. */
export function seededId(seed: Uint8Array, label: string): string {
  return `0x${toHex(blake2b256(encoder.encode(`memrelay-localnet:${label}:`), seed))}`;
}

/** 32 secret bytes derived from the chain's seed. */
export function seededKey(seed: Uint8Array, label: string): Uint8Array {
  return blake2b256(encoder.encode(`memrelay-localnet-key:${label}:`), seed);
}
