import type { Primitives } from './primitives.ts';

/** A random (version 4) UUID as 16 bytes. Never the job id: that would link the blob to the database. */
export function newEnvelopeId(p: Primitives): Uint8Array {
  const id = p.randomBytes(16);
  id[6] = (id[6]! & 0x0f) | 0x40;
  id[8] = (id[8]! & 0x3f) | 0x80;
  return id;
}

/** True for 16 bytes with the version and variant bits of a random UUID (RFC 9562 §5.4). */
export function isEnvelopeId(id: Uint8Array): boolean {
  return id.length === 16 && id[6]! >> 4 === 4 && id[8]! >> 6 === 2;
}
