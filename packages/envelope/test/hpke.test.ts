import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../src/bytes.ts';
import { aes256Gcm, hpkeOpen, hpkeSeal, hpkeSender } from '../src/hpke.ts';
import { nodePrimitives } from '../src/node-primitives.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import type { Primitives } from '../src/primitives.ts';

const sets = [
  ['node', nodePrimitives],
  ['portable', portablePrimitives],
] as const;

/** Base mode, sequence number 0. A.1.1 of RFC 9180, and the same suite with aead_id 2 of the CFRG's vector file. */
const vectors = [
  {
    name: 'AES-128-GCM (RFC 9180 A.1.1)',
    aead: { id: 1, keyLength: 16 },
    skEm: '52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736',
    skRm: '4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8',
    pkRm: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
    enc: '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431',
    ct: 'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a',
  },
  {
    name: 'AES-256-GCM (CFRG test-vectors.json, mode 0, kem 32, kdf 1, aead 2)',
    aead: aes256Gcm,
    skEm: '179d4b53b6365c45b600c4163b61d95cbc2f4d9e36f1695558dce265ab8bab11',
    skRm: '497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d',
    pkRm: '430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c',
    enc: '6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256',
    ct: 'e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a',
  },
];
const info = utf8('Ode on a Grecian Urn');
const aad = utf8('Count-0');
const plaintext = utf8('Beauty is truth, truth beauty');

function withEphemeral(p: Primitives, privateKey: Uint8Array): Primitives {
  return { ...p, x25519Exchange: undefined, randomBytes: () => privateKey.slice() };
}

describe.each(sets)('HPKE base mode on %s primitives', (_, p) => {
  it.each(vectors)('matches the published vector: $name', ({ aead, skEm, skRm, pkRm, enc, ct }) => {
    const recipientPk = fromHex(pkRm);
    const sealed = hpkeSeal(withEphemeral(p, fromHex(skEm)), { recipientPk, info, aad }, plaintext, aead);
    expect(toHex(sealed.enc)).toBe(enc);
    expect(toHex(sealed.ciphertext)).toBe(ct);

    const privateKey = fromHex(skRm);
    expect(toHex(p.x25519PublicKey(privateKey))).toBe(pkRm);
    expect(hpkeOpen(p, { keyPair: { privateKey, publicKey: recipientPk }, info, aad }, sealed, aead)).toEqual(
      plaintext,
    );
  });

  it('exchanges messages with @hpke/core in both directions', async () => {
    const suite = new CipherSuite({
      kem: new DhkemX25519HkdfSha256(),
      kdf: new HkdfSha256(),
      aead: new Aes256Gcm(),
    });
    for (const size of [0, 1, 31, 1_000, 60_000]) {
      const theirs = await suite.kem.generateKeyPair();
      const recipientPk = new Uint8Array(await suite.kem.serializePublicKey(theirs.publicKey));
      const privateKey = new Uint8Array(await suite.kem.serializePrivateKey(theirs.privateKey));
      const message = p.randomBytes(size);
      const params = { info: Uint8Array.from(info), aad: Uint8Array.from(aad) };

      const ours = hpkeSeal(p, { recipientPk, info, aad }, message);
      const opened = await suite.open(
        { recipientKey: theirs, enc: Uint8Array.from(ours.enc), info: params.info },
        Uint8Array.from(ours.ciphertext),
        params.aad,
      );
      expect(new Uint8Array(opened)).toEqual(message);

      const sealed = await suite.seal(
        { recipientPublicKey: theirs.publicKey, info: params.info },
        Uint8Array.from(message),
        params.aad,
      );
      const back = { enc: new Uint8Array(sealed.enc), ciphertext: new Uint8Array(sealed.ct) };
      expect(hpkeOpen(p, { keyPair: { privateKey, publicKey: recipientPk }, info, aad }, back)).toEqual(
        message,
      );
    }
  });

  it('rejects a recipient or encapsulated key of small order', () => {
    const zero = new Uint8Array(32);
    expect(() => hpkeSender(p, zero, info)).toThrow('small order');
    const privateKey = p.randomBytes(32);
    const keyPair = { privateKey, publicKey: p.x25519PublicKey(privateKey) };
    expect(hpkeOpen(p, { keyPair, info, aad }, { enc: zero, ciphertext: p.randomBytes(40) })).toBeUndefined();
  });

  it('does not open with another info, aad, key or public half', () => {
    const privateKey = p.randomBytes(32);
    const keyPair = { privateKey, publicKey: p.x25519PublicKey(privateKey) };
    const stranger = p.randomBytes(32);
    const sealed = hpkeSeal(p, { recipientPk: keyPair.publicKey, info, aad }, plaintext);
    const other = { privateKey: stranger, publicKey: p.x25519PublicKey(stranger) };
    expect(hpkeOpen(p, { keyPair, info, aad }, sealed)).toEqual(plaintext);
    expect(hpkeOpen(p, { keyPair, info: aad, aad }, sealed)).toBeUndefined();
    expect(hpkeOpen(p, { keyPair, info, aad: info }, sealed)).toBeUndefined();
    expect(hpkeOpen(p, { keyPair: other, info, aad }, sealed)).toBeUndefined();
    expect(
      hpkeOpen(p, { keyPair: { privateKey, publicKey: other.publicKey }, info, aad }, sealed),
    ).toBeUndefined();
    expect(hpkeOpen(p, { keyPair, info, aad }, { ...sealed, enc: sealed.enc.slice(1) })).toBeUndefined();
  });

  it('seals only once per context', () => {
    const sender = hpkeSender(p, p.x25519PublicKey(p.randomBytes(32)), info);
    sender.seal(aad, plaintext);
    expect(() => sender.seal(aad, plaintext)).toThrow('one message');
  });
});

describe('HPKE across primitive sets', () => {
  it('each set opens what the other sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.uint8Array({ maxLength: 50 }), (message, context) => {
        for (const [sealer, opener] of [
          [nodePrimitives, portablePrimitives],
          [portablePrimitives, nodePrimitives],
        ] as const) {
          const privateKey = sealer.randomBytes(32);
          const keyPair = { privateKey, publicKey: sealer.x25519PublicKey(privateKey) };
          const sealed = hpkeSeal(
            sealer,
            { recipientPk: keyPair.publicKey, info: context, aad: context },
            message,
          );
          expect(hpkeOpen(opener, { keyPair, info: context, aad: context }, sealed)).toEqual(message);
        }
      }),
      { numRuns: 20 },
    );
  });
});
