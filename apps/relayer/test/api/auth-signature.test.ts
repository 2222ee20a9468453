import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type EquationCheck, verifyStrict } from '../../src/api/auth/ed25519.ts';

const message = Buffer.from('a message');
const order = (1n << 252n) + 27742317777372353535851937790883648493n;

function keyAndSignature() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
    signature: sign(null, message, privateKey).toString('hex'),
  };
}

const bytes32 = (value: bigint) =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
const p = (1n << 255n) - 19n;
const signBit = 1n << 255n;

/** Every encoding of a point of small order, canonical or not. */
const smallOrder = [
  0n,
  1n,
  p - 1n,
  p,
  p + 1n,
  BigInt(
    `0x${Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex').reverse().toString('hex')}`,
  ),
  BigInt(
    `0x${Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex').reverse().toString('hex')}`,
  ),
].flatMap((y) => [bytes32(y), bytes32(y | signBit)]);

/** The most permissive OpenSSL possible: anything rejected under it is rejected by our own rules. */
const permissive: EquationCheck = () => true;

describe('strict Ed25519', () => {
  it('accepts signatures of node:crypto, in either letter case, the first time and later', () => {
    const { publicKey, signature } = keyAndSignature();
    for (let i = 0; i < 2; i++) {
      expect(verifyStrict(publicKey, signature, message)).toBe(true);
      expect(verifyStrict(publicKey.toUpperCase(), signature.toUpperCase(), message)).toBe(true);
      expect(verifyStrict(publicKey, signature, Buffer.from('another'))).toBe(false);
    }
  });

  it('accepts the first vector of RFC 8032', () => {
    const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
    const signature =
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b';
    expect(verifyStrict(publicKey, signature, Buffer.alloc(0))).toBe(true);
  });

  it.each(smallOrder)('rejects the key %s for any signature', (publicKey) => {
    // With a key of order 1, this signature matches every message: R = identity, S = 0
    const universal = bytes32(1n) + bytes32(0n);
    expect(verifyStrict(publicKey, universal, message)).toBe(false);
    for (const r of smallOrder) expect(verifyStrict(publicKey, r + bytes32(0n), message)).toBe(false);
  });

  it.each(smallOrder)('rejects %s as R under a valid key', (r) => {
    const { publicKey, signature } = keyAndSignature();
    expect(verifyStrict(publicKey, r + signature.slice(64), message)).toBe(false);
  });

  it.each(smallOrder)('rejects %s as key or as R even if OpenSSL accepts it', (point) => {
    const { publicKey, signature } = keyAndSignature();
    expect(verifyStrict(publicKey, signature, message, permissive)).toBe(true);
    expect(verifyStrict(publicKey, point + signature.slice(64), message, permissive)).toBe(false);
    expect(verifyStrict(point, signature, message, permissive)).toBe(false);
  });

  it('rejects non-canonical encodings and any S not below the group order even if OpenSSL accepts them', () => {
    const { publicKey, signature } = keyAndSignature();
    for (let y = p; y < signBit; y++)
      expect(verifyStrict(publicKey, bytes32(y) + signature.slice(64), message, permissive)).toBe(false);
    for (const s of [order, order + 1n, (1n << 256n) - 1n])
      expect(verifyStrict(publicKey, signature.slice(0, 64) + bytes32(s), message, permissive)).toBe(false);
    expect(verifyStrict(publicKey, signature.slice(0, 64) + bytes32(order - 1n), message, permissive)).toBe(
      true,
    );
  });

  it('rejects S plus the group order, which satisfies the equation as well', () => {
    const { publicKey, signature } = keyAndSignature();
    const s = BigInt(`0x${Buffer.from(signature.slice(64), 'hex').reverse().toString('hex')}`);
    expect(verifyStrict(publicKey, signature.slice(0, 64) + bytes32(s + order), message)).toBe(false);
    expect(verifyStrict(publicKey, signature.slice(0, 64) + bytes32(s), message)).toBe(true);
  });

  it('rejects encodings of y not below p, and bytes that are not a point', () => {
    const { signature } = keyAndSignature();
    for (let y = p; y < signBit; y++) expect(verifyStrict(bytes32(y), signature, message)).toBe(false);
    expect(verifyStrict(bytes32(2n), signature, message)).toBe(false);
  });
});
