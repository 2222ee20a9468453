import { createHash, createHmac, createPrivateKey, createPublicKey, hkdfSync, verify } from 'node:crypto';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { isStrictEd25519Point } from '@memrelay/protocol/ed25519-strict';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, plainView } from '../src/bytes.ts';
import { hkdfExpand, hkdfExtract } from '../src/hkdf.ts';
import { nodePrimitives as node } from '../src/node-primitives.ts';
import { portablePrimitives as portable } from '../src/portable-primitives.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const { Point } = ed25519;
const order = Point.Fn.ORDER;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** The eight points whose order divides 8, from a generator of the torsion subgroup. */
function torsionPoints() {
  const generator = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');
  const points = [Point.ZERO];
  for (let i = 1; i < 8; i++) points.push(points[i - 1]!.add(generator));
  return points;
}

/** A signature for key A + torsion, for which either only the cofactored equation holds or both equations do. */
function signWithTorsion(torsion: InstanceType<typeof Point>, attempt: number) {
  const secret = 1234567n;
  const a = Point.BASE.multiply(secret).add(torsion);
  const r = Point.BASE.multiply(BigInt(attempt + 1));
  const message = Uint8Array.of(attempt);
  const challenge = createHash('sha512')
    .update(concatBytes(r.toBytes(), a.toBytes(), message))
    .digest();
  const k = BigInt(`0x${toHex(Uint8Array.from(challenge).reverse())}`) % order;
  const s = (BigInt(attempt + 1) + k * secret) % order;
  return { publicKey: a.toBytes(), message, signature: concatBytes(r.toBytes(), littleEndian(s)) };
}

describe('both primitive sets', () => {
  it('agree on hashes, HMAC, AES-GCM, X25519 and Ed25519', () => {
    fc.assert(
      fc.property(bytes(32), bytes(32), bytes(12), fc.uint8Array({ maxLength: 300 }), (a, b, nonce, data) => {
        expect(portable.sha256(a, data)).toEqual(node.sha256(a, data));
        expect(portable.hmacSha256(data, a, b)).toEqual(node.hmacSha256(data, a, b));
        for (const key of [a, a.slice(0, 16)]) {
          const sealed = node.aesGcmSeal(key, nonce, b, data);
          expect(portable.aesGcmSeal(key, nonce, b, data)).toEqual(sealed);
          expect(portable.aesGcmOpen(key, nonce, b, sealed)).toEqual(data);
          expect(node.aesGcmOpen(key, nonce, b, sealed)).toEqual(data);
          sealed[sealed.length - 1]! ^= 1;
          expect(portable.aesGcmOpen(key, nonce, b, sealed)).toBeUndefined();
          expect(node.aesGcmOpen(key, nonce, b, sealed)).toBeUndefined();
        }
        expect(portable.x25519PublicKey(a)).toEqual(node.x25519PublicKey(a));
        expect(portable.x25519SharedSecret(a, b)).toEqual(node.x25519SharedSecret(a, b));
        expect(portable.ed25519PublicKey(a)).toEqual(node.ed25519PublicKey(a));
        const signature = node.ed25519Sign(a, data);
        expect(portable.ed25519Sign(a, data)).toEqual(signature);
        for (const p of [node, portable]) {
          expect(p.ed25519Verify(node.ed25519PublicKey(a), data, signature)).toBe(true);
          expect(p.ed25519Verify(node.ed25519PublicKey(a), concatBytes(data, a), signature)).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('share the secret of a fresh exchange with the owner of the other key', () => {
    const privateKey = node.randomBytes(32);
    const [one, other] = [1, 2].map(() => node.x25519Exchange!(node.x25519PublicKey(privateKey)));
    expect(portable.x25519SharedSecret(privateKey, one!.enc)).toEqual(one!.secret);
    expect(one!.enc).not.toEqual(other!.enc);
    expect(node.x25519Exchange!(new Uint8Array(32)).secret).toBeUndefined();
  });

  it('agree with OpenSSL on the HMAC of messages and keys of any length', () => {
    for (const key of [0, 32, 64, 65, 2_000].map((length) => node.randomBytes(length)))
      for (const length of [0, 1, 63, 900, 991, 992, 1_023, 1_024, 5_000]) {
        const message = node.randomBytes(length);
        const expected = createHmac('sha256', key).update(message).digest('hex');
        const split = Math.floor(length / 3);
        for (const p of [node, portable]) {
          expect(toHex(p.hmacSha256(key, message))).toBe(expected);
          expect(toHex(p.hmacSha256(key, message.subarray(0, split), message.subarray(split)))).toBe(
            expected,
          );
        }
      }
  });

  it('return plain arrays, never a Buffer', () => {
    const key = node.randomBytes(32);
    const sealed = node.aesGcmSeal(key, key.slice(0, 12), key, key);
    const outputs = [
      key,
      sealed,
      node.sha256(key),
      node.hmacSha256(key),
      node.aesGcmOpen(key, key.slice(0, 12), key, sealed)!,
      node.x25519PublicKey(key),
      node.x25519SharedSecret(key, node.x25519PublicKey(key))!,
      node.x25519Exchange!(node.x25519PublicKey(key)).enc,
      node.x25519Exchange!(node.x25519PublicKey(key)).secret!,
      node.ed25519PublicKey(key),
      node.ed25519Sign(key, key),
    ];
    for (const output of outputs) expect(Object.getPrototypeOf(output)).toBe(Uint8Array.prototype);
  });

  it('reject every X25519 public key whose shared secret is zero', () => {
    const zeroSecretKeys = [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
      '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
      `ec${'ff'.repeat(30)}7f`,
      `ed${'ff'.repeat(30)}7f`,
      `ee${'ff'.repeat(30)}7f`,
    ].map(fromHex);
    for (const p of [node, portable])
      for (const key of zeroSecretKeys) expect(p.x25519SharedSecret(p.randomBytes(32), key)).toBeUndefined();
  });

  it('reject small-order and non-canonical Ed25519 keys that OpenSSL itself would accept', () => {
    const signature = concatBytes(Point.ZERO.toBytes(), new Uint8Array(32));
    for (const point of torsionPoints()) {
      const encoded = point.toBytes();
      const otherSign = encoded.slice();
      otherSign[31]! ^= 0x80;
      for (const key of [encoded, otherSign]) {
        expect(isStrictEd25519Point(key)).toBe(false);
        for (const p of [node, portable])
          for (let i = 0; i < 16; i++) expect(p.ed25519Verify(key, Uint8Array.of(i), signature)).toBe(false);
      }
    }
    for (let low = 0xed; low <= 0xff; low++)
      for (const high of ['7f', 'ff'])
        expect(isStrictEd25519Point(fromHex(`${low.toString(16)}${'ff'.repeat(30)}${high}`))).toBe(false);
  });

  it('reject S + L, which satisfies the same equation', () => {
    const seed = node.randomBytes(32);
    const message = node.randomBytes(20);
    const signature = node.ed25519Sign(seed, message);
    const s = BigInt(`0x${toHex(signature.slice(32).reverse())}`);
    const altered = concatBytes(signature.subarray(0, 32), littleEndian(s + order));
    for (const p of [node, portable])
      expect(p.ed25519Verify(p.ed25519PublicKey(seed), message, altered)).toBe(false);
  });

  it('agree with each other and OpenSSL on keys with a torsion component', () => {
    const head = fromHex('302a300506032b6570032100');
    let refused = 0;
    for (const torsion of torsionPoints()) {
      for (let attempt = 0; attempt < 16; attempt++) {
        const { publicKey, message, signature } = signWithTorsion(torsion, attempt);
        const spki = Buffer.from(concatBytes(head, publicKey));
        const openssl = verify(
          null,
          message,
          createPublicKey({ key: spki, format: 'der', type: 'spki' }),
          signature,
        );
        expect(node.ed25519Verify(publicKey, message, signature)).toBe(openssl);
        expect(portable.ed25519Verify(publicKey, message, signature)).toBe(openssl);
        if (!openssl) refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('never throw on signatures of odd sizes or random keys', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ maxLength: 70 }), (key, signature) => {
        for (const p of [node, portable]) expect(p.ed25519Verify(key, key, signature)).toBe(false);
        for (const p of [node, portable])
          expect(p.ed25519Verify(p.ed25519PublicKey(new Uint8Array(32)), key, signature)).toBe(false);
      }),
    );
  });
});

describe('node key objects', () => {
  it('detect an array that was overwritten with another key', () => {
    const reused = node.randomBytes(32);
    const before = node.x25519PublicKey(reused);
    reused.set(node.randomBytes(32));
    expect(node.x25519PublicKey(reused)).not.toEqual(before);
    expect(node.x25519PublicKey(reused)).toEqual(portable.x25519PublicKey(reused));
  });

  it('keep working when more public keys are used than are cached', () => {
    const seed = node.randomBytes(32);
    for (let i = 0; i < 1_100; i++) node.x25519SharedSecret(seed, littleEndian(BigInt(i) + 9n));
    const other = node.randomBytes(32);
    expect(node.x25519SharedSecret(seed, node.x25519PublicKey(other))).toEqual(
      node.x25519SharedSecret(other, node.x25519PublicKey(seed)),
    );
  });

  it('derive the same public half as OpenSSL', () => {
    const seed = node.randomBytes(32);
    const der = Buffer.from(concatBytes(fromHex('302e020100300506032b657004220420'), seed));
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    expect(toHex(node.ed25519PublicKey(seed))).toBe(
      Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url').toString('hex'),
    );
  });
});

describe('HKDF', () => {
  it('matches OpenSSL', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 80 }),
        fc.uint8Array({ maxLength: 80 }),
        fc.uint8Array({ maxLength: 80 }),
        fc.integer({ min: 1, max: 200 }),
        (secret, salt, info, length) => {
          const expected = plainView(new Uint8Array(hkdfSync('sha256', secret, salt, info, length)));
          for (const p of [node, portable])
            expect(hkdfExpand(p, hkdfExtract(p, salt, secret), info, length)).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('rejects more than 255 blocks', () => {
    expect(() => hkdfExpand(node, new Uint8Array(32), new Uint8Array(0), 255 * 32 + 1)).toThrow(RangeError);
  });
});
