import { fromHex, toHex } from '@memrelay/protocol/bytes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, equalBytes, isAllZero, u32, u64, utf8 } from '../src/bytes.ts';
import { isEnvelopeId, newEnvelopeId } from '../src/envelope-id.ts';
import { sealIdentity } from '../src/identity.ts';
import { newNamespaceKeyPair } from '../src/key-pair.ts';
import { contextOf, decodeMeta, type EnvelopeMeta, encodeMeta } from '../src/meta.ts';
import { namespaceTag, privateNamespaceTag } from '../src/namespace-tag.ts';
import { paddedLength, padme } from '../src/padme.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import { decodeWraps, encodeWraps } from '../src/wraps.ts';
import { filled, p, refusal, sealWrap } from './fixtures.ts';

const origin = filled(0x11);

describe('namespace tag', () => {
  it('is HMAC over label, zero and exact bytes', () => {
    const expected = p
      .hmacSha256(origin, concatBytes(utf8('memrelay-namespace-v1'), Uint8Array.of(0), utf8('café')))
      .slice(0, 16);
    expect(namespaceTag(p, origin, 'café')).toEqual(expected);
    expect(namespaceTag(portablePrimitives, origin, 'café')).toEqual(expected);
  });

  it('differs for look-alike names and for accounts', () => {
    const names = ['a', 'a ', ' a', 'A', '', 'caf\u00e9', 'cafe\u0301', 'a\0'];
    const tags = [
      ...names.map((name) => toHex(namespaceTag(p, origin, name))),
      toHex(namespaceTag(p, filled(2), 'a')),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('rejects lone surrogates and wrong origins', () => {
    for (const name of ['\ud800', 'x\udc00', '\udc00\ud800'])
      expect(() => namespaceTag(p, origin, name)).toThrow(RangeError);
    expect(() => namespaceTag(p, filled(1, 31), 'a')).toThrow(RangeError);
  });

  it('of a private namespace has a label of its own', () => {
    const expected = p
      .hmacSha256(origin, utf8('memrelay-namespace-private-v1'), Uint8Array.of(0), utf8('café'))
      .slice(0, 16);
    for (const primitives of [p, portablePrimitives])
      expect(privateNamespaceTag(primitives, origin, 'café')).toEqual(expected);
    expect(expected).not.toEqual(namespaceTag(p, origin, 'café'));
    expect(() => privateNamespaceTag(p, origin, '\ud800')).toThrow(RangeError);
  });

  it('is never all zero', () => {
    const zeroMac = { ...p, hmacSha256: () => new Uint8Array(32) };
    expect(() => namespaceTag(zeroMac, origin, 'a')).toThrow('reserved');
  });
});

describe('identity', () => {
  it('is origin, tag and little-endian epoch', () => {
    expect(toHex(sealIdentity(origin, filled(0x22, 16), 0x0102n))).toBe(
      `${'11'.repeat(32)}${'22'.repeat(16)}0201000000000000`,
    );
  });

  it('rejects invalid parts', () => {
    const tag = filled(1, 16);
    for (const act of [
      () => sealIdentity(origin, filled(0, 16), 1n),
      () => sealIdentity(origin, filled(1, 15), 1n),
      () => sealIdentity(filled(1, 33), tag, 1n),
      () => sealIdentity(origin, tag, -1n),
      () => sealIdentity(origin, tag, 1n << 64n),
    ])
      expect(act).toThrow(RangeError);
    expect(sealIdentity(origin, tag, (1n << 64n) - 1n)).toHaveLength(56);
  });

  it('of a new key pair is that of its scope, and the halves match', () => {
    const scope = { account: filled(9), origin, tag: filled(1, 16), keyEpoch: 3n, serverSet: 'set' };
    const first = newNamespaceKeyPair(p, scope);
    const second = newNamespaceKeyPair(p, scope);
    expect(first.identity).toEqual(sealIdentity(origin, scope.tag, 3n));
    expect(portablePrimitives.x25519PublicKey(first.privateKey)).toEqual(first.publicKey);
    expect(first.publicKey).not.toEqual(second.publicKey);
    expect(() => newNamespaceKeyPair(p, { ...scope, account: filled(9, 20) })).toThrow(RangeError);
  });
});

describe('envelope id', () => {
  it('is a random UUID', () => {
    const ids = Array.from({ length: 50 }, () => newEnvelopeId(p));
    expect(ids.every(isEnvelopeId)).toBe(true);
    expect(new Set(ids.map(toHex)).size).toBe(50);
    const timeBased = ids[0]!.slice();
    timeBased[6] = 0x7f;
    expect(isEnvelopeId(timeBased)).toBe(false);
    expect(isEnvelopeId(filled(0, 16))).toBe(false);
  });
});

describe('Padmé', () => {
  it('returns the sizes of the definition', () => {
    const table = [
      1, 1, 2, 2, 3, 3, 8, 8, 9, 10, 17, 18, 100, 104, 1_000, 1_024, 1_025, 1_088, 1_048_576, 1_048_576,
    ];
    for (let i = 0; i < table.length; i += 2)
      expect([table[i], padme(table[i]!)]).toEqual([table[i], table[i + 1]]);
    expect(paddedLength(1)).toBe(1_024);
    expect(paddedLength(1_025)).toBe(1_088);
  });

  it('never shrinks, costs at most 12 %, is idempotent and monotone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), (length) => {
        const padded = padme(length);
        expect(padded).toBeGreaterThanOrEqual(length);
        expect(padded).toBeLessThanOrEqual(length * 1.12);
        expect(padme(padded)).toBe(padded);
        expect(padme(length + 1)).toBeGreaterThanOrEqual(padded);
      }),
    );
  });
});

describe('wraps', () => {
  it('round trip byte for byte, including unknown types and empty ones', () => {
    const wrap = fc.record({
      type: fc.constantFrom(0, 1, 3, 77, 255),
      bytes: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(wrap, { minLength: 1, maxLength: 4 }), (wraps) => {
        const region = encodeWraps(wraps);
        expect(decodeWraps(region, wraps.length)).toEqual(wraps);
        for (const count of [0, wraps.length + 1, 5, 255])
          expect(refusal(() => decodeWraps(region, count))).toBe('malformed');
        expect(refusal(() => decodeWraps(concatBytes(region, Uint8Array.of(0)), wraps.length))).toBe(
          'malformed',
        );
        expect(refusal(() => decodeWraps(region.subarray(0, -1), wraps.length))).toBe('malformed');
      }),
    );
  });

  it('are one to four: the writer and the reader reject none, and five', () => {
    const wrap = { type: 9, bytes: filled(7, 3) };
    const encoded = Uint8Array.of(9, 3, 0, 7, 7, 7);
    for (const count of [0, 1, 2, 3, 4, 5, 6, 255]) {
      const wraps = Array.from({ length: count }, () => wrap);
      const region = concatBytes(...wraps.map(() => encoded));
      if (count >= 1 && count <= 4) {
        expect(encodeWraps(wraps)).toEqual(region);
        expect(decodeWraps(region, count)).toEqual(wraps);
      } else {
        expect(() => encodeWraps(wraps)).toThrow(RangeError);
        expect(refusal(() => decodeWraps(region, count))).toBe('malformed');
      }
    }
  });

  it('reject a recovery wrap of another size', () => {
    expect(refusal(() => decodeWraps(Uint8Array.of(2, 1, 0, 9), 1))).toBe('malformed');
    expect(() => encodeWraps([{ type: 2, bytes: filled(1, 111) }])).toThrow(RangeError);
  });

  it('reject what the format cannot represent', () => {
    const wrap = sealWrap(filled(1, 56));
    for (const wraps of [
      [],
      [wrap, wrap, wrap, wrap, wrap],
      [{ type: 256, bytes: wrap.bytes }],
      [{ type: 1.5, bytes: wrap.bytes }],
      [{ type: 1, bytes: filled(1, 65_536) }],
    ])
      expect(() => encodeWraps(wraps)).toThrow(RangeError);
  });

  it('have the size that the layout names for two key servers', () => {
    expect(sealWrap(filled(1, 56)).bytes).toHaveLength(404);
  });
});

describe('meta', () => {
  const valid: EnvelopeMeta = { ns: 'work', created_at: '2026-02-28T23:59:59.123Z' };
  const json = (value: unknown) => utf8(JSON.stringify(value));

  it('round trips, in one order, without absent fields', () => {
    const full: EnvelopeMeta = {
      by: 'me',
      supersedes: ['0'.repeat(32)],
      importance: 0.5,
      occurred_at: '2024-02-29T00:00:00+05:30',
      ...valid,
    };
    expect(decodeMeta(encodeMeta(full))).toEqual(full);
    expect(new TextDecoder().decode(encodeMeta(full))).toBe(
      `{"ns":"work","created_at":"${full.created_at}","occurred_at":"${full.occurred_at}","importance":0.5,"supersedes":["${'0'.repeat(32)}"],"by":"me"}`,
    );
  });

  it.each([
    ['no ns', { created_at: valid.created_at }],
    ['no created_at', { ns: 'work' }],
    ['null field', { ...valid, by: null }],
    ['session of no characters', { ...valid, session: '' }],
    ['speaker above 128 characters', { ...valid, speaker: 'x'.repeat(129) }],
    ['33 tags', { ...valid, tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }],
    ['tag above 64 characters', { ...valid, tags: ['x'.repeat(65)] }],
    ['repeated tag', { ...valid, tags: ['a', 'a'] }],
    ['nested metadata', { ...valid, metadata: { a: { b: 1 } } }],
    ['happened_at without an offset', { ...valid, happened_at: '2026-01-01T00:00:00' }],
    ['expires_at that is no time', { ...valid, expires_at: 'tomorrow' }],
    ['number as ns', { ...valid, ns: 1 }],
    ['day that is none', { ...valid, created_at: '2026-02-30T00:00:00Z' }],
    ['leap day in a common year', { ...valid, created_at: '1900-02-29T00:00:00Z' }],
    ['hour 24', { ...valid, created_at: '2026-01-01T24:00:00Z' }],
    ['no offset', { ...valid, created_at: '2026-01-01T00:00:00' }],
    ['offset out of range', { ...valid, created_at: '2026-01-01T00:00:00+24:00' }],
    ['epoch milliseconds', { ...valid, created_at: 1_700_000_000_000 }],
    ['importance as text', { ...valid, importance: '1' }],
    ['empty supersedes', { ...valid, supersedes: [] }],
    ['upper-case id', { ...valid, supersedes: ['A'.repeat(32)] }],
    ['repeated id', { ...valid, supersedes: ['a'.repeat(32), 'a'.repeat(32)] }],
    ['private that is not true', { ...valid, private: false }],
    ['search_id in upper case', { ...valid, search_id: 'A'.repeat(32) }],
    ['short search_id', { ...valid, search_id: 'a'.repeat(31) }],
    ['an array', [valid]],
    ['null', null],
    ['text', 'work'],
  ])('is rejected: %s', (_, value) => {
    expect(refusal(() => decodeMeta(json(value)))).toBe('bad_meta');
  });

  it('is rejected when it is not JSON, not UTF-8, or hides a lone surrogate or prototype', () => {
    const texts = ['', '{', `\ufeff${JSON.stringify(valid)}`, `${JSON.stringify(valid)}x`];
    for (const text of texts) expect(refusal(() => decodeMeta(utf8(text)))).toBe('bad_meta');
    const surrogate = `{"ns":"\\ud800","created_at":"${valid.created_at}"}`;
    const proto = `{"__proto__":{"by":1},"ns":"work","created_at":"${valid.created_at}"}`;
    for (const text of [surrogate, proto]) expect(refusal(() => decodeMeta(utf8(text)))).toBe('bad_meta');
    expect(refusal(() => decodeMeta(concatBytes(json(valid), Uint8Array.of(0xff))))).toBe('bad_meta');
    expect(
      refusal(() => decodeMeta(utf8(`{"ns":"a","created_at":"${valid.created_at}","importance":1e999}`))),
    ).toBe('bad_meta');
  });

  it('keeps unknown fields, so that a copy has them too', () => {
    const later = { ...valid, later: { deep: [1] } };
    expect(decodeMeta(json(later))).toEqual(later);
    expect(decodeMeta(encodeMeta(later))).toEqual(later);
  });

  it('round trips context fields', () => {
    const context = {
      session: 's',
      speaker: 'Ada',
      happened_at: '2026-01-02T03:04:05+01:00',
      tags: ['a', 'b'],
      metadata: { a: 1, b: 'x', c: true, d: null },
      expires_at: '2027-01-01T00:00:00Z',
    };
    expect(contextOf(decodeMeta(encodeMeta({ ...valid, ...context })))).toEqual(context);
    expect(contextOf(valid)).toBeUndefined();
  });

  it('is not written when a field is invalid or above 16 KiB', () => {
    expect(() => encodeMeta({ ...valid, created_at: 'yesterday' })).toThrow('created_at');
    expect(() => encodeMeta({ ...valid, ns: '\ud800' })).toThrow('ns');
    expect(() => encodeMeta({ ...valid, importance: Number.NaN })).toThrow('importance');
    expect(() => encodeMeta({ ...valid, by: 'x'.repeat(16_384) })).toThrow('16 KiB');
  });
});

describe('bytes', () => {
  it('read and write hex, integers and zero checks', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => equalBytes(fromHex(`0x${toHex(bytes)}`), bytes)));
    expect(() => fromHex('abc')).toThrow(RangeError);
    expect(() => fromHex('zz')).toThrow(RangeError);
    expect(toHex(u32(0xdeadbeef))).toBe('efbeadde');
    expect(toHex(u64(1n))).toBe('0100000000000000');
    expect(isAllZero(Uint8Array.of(0, 0, 1))).toBe(false);
    expect(() => utf8('\ud800')).toThrow(RangeError);
  });
});
