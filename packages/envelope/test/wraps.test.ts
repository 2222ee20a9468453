import { toHex } from '@memrelay/protocol/bytes';
import { EncryptedObject } from '@mysten/seal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../src/bytes.ts';
import { checkWrap } from '../src/check-wrap.ts';
import { sealIdentity } from '../src/identity.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import { openRecoveryWrap, sealRecoveryWrap } from '../src/recovery-wrap.ts';
import { parseSealObject } from '../src/seal-object.ts';
import { type KeyServerSet, serverSetId } from '../src/server-set.ts';
import type { Wrap } from '../src/wraps.ts';
import {
  filled,
  p,
  packageId,
  refusal,
  sealObjectBytes,
  sealWrap,
  serverSet,
  wrapExpectation,
} from './fixtures.ts';

const identity = sealIdentity(filled(0x11), filled(0x22, 16), 5n);
const address = (byte: number) => `0x${toHex(filled(byte))}`;

function header(...wraps: Wrap[]) {
  return { header: { identity, wraps } };
}

describe('Seal object', () => {
  it('is read as @mysten/seal writes it, in both modes', () => {
    const shares = {
      BonehFranklinBLS12381: {
        nonce: filled(1, 96),
        encryptedShares: [filled(2), filled(3), filled(4)],
        encryptedRandomness: filled(5),
      },
    };
    const services: [string, number][] = [
      [address(0xb1), 1],
      [address(0xb1), 2],
      [address(0xb2), 7],
    ];
    const blob = filled(6, 48);
    for (const ciphertext of [
      { Aes256Gcm: { blob, aad: new Uint8Array(0) } },
      { Aes256Gcm: { blob, aad: null } },
      { Hmac256Ctr: { blob, aad: filled(9, 200), mac: filled(7) } },
    ]) {
      const object = { version: 0, packageId: address(0xaa), id: toHex(identity), services, threshold: 2 };
      const bytes = EncryptedObject.serialize({
        ...object,
        encryptedShares: shares,
        ciphertext: ciphertext as Parameters<typeof EncryptedObject.serialize>[0]['ciphertext'],
      }).toBytes();
      expect(parseSealObject(bytes)).toEqual({
        packageId: filled(0xaa),
        id: identity,
        services: services.map(([id, shareIndex]) => ({
          objectId: filled(id === address(0xb1) ? 0xb1 : 0xb2),
          shareIndex,
        })),
        threshold: 2,
      });
    }
  });

  it('written by hand equals what @mysten/seal would serialize', () => {
    const bytes = sealObjectBytes(identity);
    expect(EncryptedObject.serialize(EncryptedObject.parse(bytes)).toBytes()).toEqual(bytes);
  });

  it('is rejected at every shorter length, with an extra byte, and without encryption', () => {
    const bytes = sealObjectBytes(identity);
    for (let length = 0; length < bytes.length; length++)
      expect(refusal(() => parseSealObject(bytes.subarray(0, length)))).toBe('malformed');
    expect(refusal(() => parseSealObject(concatBytes(bytes, Uint8Array.of(0))))).toBe('malformed');
    const plain = concatBytes(bytes.subarray(0, -52), Uint8Array.of(2));
    expect(EncryptedObject.parse(plain).ciphertext.$kind).toBe('Plain');
    expect(refusal(() => parseSealObject(plain))).toBe('malformed');
  });

  it.each([
    ['version', 0, 1],
    ['id length not in shortest form', 33, 0xb8],
    ['service count', 90, 3],
    ['second share index equal to the first', 156, 1],
    ['threshold 0', 157, 0],
    ['threshold above the services', 157, 3],
    ['share kind', 158, 1],
    ['share count', 255, 1],
    ['option flag', 402, 2],
  ])('is rejected with a wrong %s', (_, offset, value) => {
    const bytes = sealObjectBytes(identity);
    bytes[offset] = value;
    expect(refusal(() => parseSealObject(bytes))).toBe('malformed');
  });

  it('with hostile lengths is rejected without an allocation of that size', () => {
    const huge = [0xff, 0xff, 0x7f];
    const bytes = sealObjectBytes(identity);
    for (const offset of [33, 90, 255])
      expect(
        refusal(() => parseSealObject(concatBytes(bytes.subarray(0, offset), Uint8Array.from(huge), bytes))),
      ).toBe('malformed');
    const endless = concatBytes(bytes.subarray(0, 33), filled(0x80, 40));
    expect(refusal(() => parseSealObject(endless))).toBe('malformed');
  });

  it('throws only EnvelopeError, for any bytes', () => {
    const start = sealObjectBytes(identity).subarray(0, 91);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (noise, plausible) => {
        refusal(() => parseSealObject(plausible ? concatBytes(start, noise) : noise));
      }),
      { numRuns: 500 },
    );
  });
});

describe('wrap check', () => {
  const weighted: KeyServerSet = {
    servers: [
      { objectId: filled(0xc1), weight: 2 },
      { objectId: filled(0xc2), weight: 1 },
    ],
    threshold: 2,
  };
  const check = (wraps: Wrap[], expected = wrapExpectation) =>
    refusal(() => checkWrap(header(...wraps), expected));

  it('finds the set, current or historical, and the wrap among others', () => {
    const unknown = { type: 9, bytes: filled(1, 5) };
    const both = { packageId, serverSets: [serverSet, weighted] };
    expect(checkWrap(header(unknown, sealWrap(identity)), both).serverSet).toBe(serverSet);
    const found = checkWrap(header(sealWrap(identity, weighted)), both);
    expect(found.serverSet).toBe(weighted);
    expect(found.bytes).toEqual(sealObjectBytes(identity, weighted));
    const later = checkWrap(header(sealWrap(identity, weighted), sealWrap(identity)), wrapExpectation);
    expect(later.serverSet).toBe(serverSet);
  });

  it('rejects another identity: account, namespace, epoch, or one with only the same prefix', () => {
    for (const other of [
      sealIdentity(filled(0x12), filled(0x22, 16), 5n),
      sealIdentity(filled(0x11), filled(0x23, 16), 5n),
      sealIdentity(filled(0x11), filled(0x22, 16), 4n),
      identity.subarray(0, 55),
      concatBytes(identity, Uint8Array.of(0)),
      new Uint8Array(0),
    ])
      expect(check([sealWrap(other)])).toBe('foreign_wrap');
  });

  it('rejects another package, server set, weight or threshold, and an envelope without a Seal wrap', () => {
    const { servers } = serverSet;
    expect(check([sealWrap(identity, serverSet, filled(0xab))])).toBe('foreign_wrap');
    for (const set of [
      weighted,
      { servers, threshold: 1 },
      { servers: servers.slice(0, 1), threshold: 1 },
      { servers: [...servers, { objectId: filled(0xb3), weight: 1 }], threshold: 2 },
      { servers: [servers[0]!, { objectId: filled(0xb3), weight: 1 }], threshold: 2 },
      { servers: [servers[0]!, { ...servers[1]!, weight: 2 }], threshold: 2 },
    ])
      expect(check([sealWrap(identity, set)])).toBe('foreign_wrap');
    expect(check([{ type: 9, bytes: filled(1, 5) }])).toBe('foreign_wrap');
    expect(check([sealWrap(identity)], { packageId, serverSets: [] })).toBe('foreign_wrap');
  });

  it('rejects the envelope when any of its Seal wraps is invalid', () => {
    expect(check([sealWrap(identity), { type: 1, bytes: filled(1, 40) }])).toBe('malformed');
  });
});

describe('server set id', () => {
  it('depends on everything except the order', () => {
    const reversed = { ...serverSet, servers: [...serverSet.servers].reverse() };
    const id = serverSetId(p, serverSet);
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(serverSetId(portablePrimitives, reversed)).toBe(id);
    expect(serverSetId(p, { ...serverSet, threshold: 1 })).not.toBe(id);
    const heavier = { threshold: 2, servers: serverSet.servers.map((server) => ({ ...server, weight: 2 })) };
    expect(serverSetId(p, heavier)).not.toBe(id);
  });

  it('rejects an impossible set', () => {
    const [first] = serverSet.servers;
    for (const set of [
      { servers: [], threshold: 1 },
      { servers: [first!, first!], threshold: 1 },
      { servers: [{ objectId: filled(1, 31), weight: 1 }], threshold: 1 },
      { servers: [{ objectId: filled(1), weight: 0 }], threshold: 1 },
      { ...serverSet, threshold: 3 },
      { ...serverSet, threshold: 0 },
    ])
      expect(() => serverSetId(p, set)).toThrow(RangeError);
  });
});

describe('recovery wrap', () => {
  const recoveryKey = p.randomBytes(32);
  const recoveryPk = p.x25519PublicKey(recoveryKey);
  const privateKey = p.randomBytes(32);
  const binding = { identity, recipientPk: p.x25519PublicKey(privateKey) };
  const wrap = sealRecoveryWrap(p, recoveryPk, binding, privateKey);

  it('returns the private key, on both primitive sets', () => {
    expect(wrap.bytes).toHaveLength(112);
    expect(wrap.bytes.slice(0, 32)).toEqual(recoveryPk);
    for (const primitives of [p, portablePrimitives])
      expect(openRecoveryWrap(primitives, wrap, recoveryKey, binding)).toEqual(privateKey);
  });

  it('opens only with its own identity, pair and key', () => {
    const open = (key: Uint8Array, change: object) =>
      refusal(() => openRecoveryWrap(p, wrap, key, { ...binding, ...change }));
    expect(open(recoveryKey, {})).toBe('accepted');
    expect(open(p.randomBytes(32), {})).toBe('wrong_recipient');
    expect(open(recoveryKey, { identity: sealIdentity(filled(0x11), filled(0x22, 16), 6n) })).toBe(
      'decrypt_failed',
    );
    expect(open(recoveryKey, { recipientPk: filled(9) })).toBe('decrypt_failed');
  });

  it('is rejected if any byte or the length changes', () => {
    for (let i = 0; i < 112; i++) {
      const bytes = wrap.bytes.slice();
      bytes[i]! ^= 0x01;
      expect(refusal(() => openRecoveryWrap(p, { ...wrap, bytes }, recoveryKey, binding))).not.toBe(
        'accepted',
      );
    }
    for (const bad of [
      { ...wrap, bytes: wrap.bytes.subarray(1) },
      { ...wrap, type: 1 },
    ])
      expect(refusal(() => openRecoveryWrap(p, bad, recoveryKey, binding))).toBe('malformed');
  });

  it('cannot be made with a key that does not match recipient_pk, or for a key of small order', () => {
    expect(() => sealRecoveryWrap(p, recoveryPk, binding, p.randomBytes(32))).toThrow(RangeError);
    expect(() => sealRecoveryWrap(p, new Uint8Array(32), binding, privateKey)).toThrow(RangeError);
  });
});
