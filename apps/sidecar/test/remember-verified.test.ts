import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { describe, expect, it, vi } from 'vitest';
import { rememberVerified } from '../src/open/remember-verified.ts';

const seed = p.randomBytes(32);
const publicKey = p.ed25519PublicKey(seed);
const message = p.randomBytes(100);
const signature = p.ed25519Sign(seed, message);

/** A copy with a different first byte. */
function changed(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, i) => (i === 0 ? byte ^ 1 : byte));
}

describe('remembered signatures', () => {
  it('are verified once if valid, and every time if invalid', () => {
    const ed25519Verify = vi.fn(p.ed25519Verify);
    const remembering = rememberVerified({ ...p, ed25519Verify });
    for (let time = 0; time < 3; time++)
      expect(remembering.ed25519Verify(publicKey, message, signature)).toBe(true);
    expect(ed25519Verify).toHaveBeenCalledTimes(1);
    for (let time = 0; time < 3; time++)
      expect(remembering.ed25519Verify(publicKey, changed(message), signature)).toBe(false);
    expect(ed25519Verify).toHaveBeenCalledTimes(4);
  });

  it('do not apply to another key, message or signature', () => {
    const remembering = rememberVerified(p);
    expect(remembering.ed25519Verify(publicKey, message, signature)).toBe(true);
    expect(remembering.ed25519Verify(changed(publicKey), message, signature)).toBe(false);
    expect(remembering.ed25519Verify(publicKey, changed(message), signature)).toBe(false);
    expect(remembering.ed25519Verify(publicKey, message, changed(signature))).toBe(false);
  });

  it('cannot be confused by shifting bytes between parts', () => {
    const remembering = rememberVerified(p);
    const all = Uint8Array.from([...publicKey, ...signature, ...message]);
    expect(remembering.ed25519Verify(publicKey, message, signature)).toBe(true);
    for (const [key, sign] of [
      [31, 65],
      [33, 63],
      [32, 63],
      [32, 65],
      [0, 96],
    ] as const)
      expect(
        remembering.ed25519Verify(
          all.subarray(0, key),
          all.subarray(key + sign),
          all.subarray(key, key + sign),
        ),
      ).toBe(false);
  });
});
