import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, readU32, u32 } from '../src/bytes.ts';
import { buildHeader, envelopeKind, maxHeaderLength, parseHeader } from '../src/header.ts';
import { checkHeader, checkHeaderFields } from '../src/open-envelope.ts';
import { filled, refusal, seal } from './fixtures.ts';

function patched(bytes: Uint8Array, offset: number, ...values: number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, offset);
  return copy;
}
function withU32(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  return patched(bytes, offset, ...u32(value));
}
const parse = (bytes: Uint8Array) => refusal(() => parseHeader(bytes, bytes.length));

describe('header', () => {
  const sealed = seal();
  const { bytes, input } = sealed;
  const headerLength = readU32(bytes, 8);

  it('has every field at its offset', () => {
    const header = parseHeader(bytes, bytes.length);
    expect(header).toMatchObject({
      kind: 1,
      origin: input.origin,
      tag: sealed.expectation.tag,
      keyEpoch: 7n,
      envelopeId: input.envelopeId,
      recipientPk: input.recipientPk,
      wraps: input.wraps,
      headerLength: 153 + 3 + 404,
      bodyLength: bytes.length - headerLength,
    });
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('MRE1');
    expect([...bytes.subarray(4, 8)]).toEqual([1, 1, 1, 0]);
    expect(header.identity).toEqual(bytes.slice(16, 72));
    expect(bytes.slice(120, 152)).toEqual(header.enc);
    expect(bytes[152]).toBe(1);
    expect(buildHeader(header)).toEqual(bytes.slice(0, headerLength));
  });

  it('parses every prefix that contains it, and no shorter one', () => {
    const whole = parseHeader(bytes, bytes.length);
    for (let length = 0; length < headerLength; length++)
      expect(refusal(() => parseHeader(bytes.subarray(0, length)))).toBe('malformed');
    for (const length of [headerLength, headerLength + 1, bytes.length])
      expect(parseHeader(bytes.subarray(0, length), bytes.length)).toEqual(whole);
    expect(parseHeader(Buffer.from(bytes).subarray(0, headerLength))).toEqual(whole);
    expect(refusal(() => parseHeader(bytes.subarray(0, headerLength), bytes.length + 1))).toBe('malformed');
  });

  it('keeps copies: a reused read buffer does not change it', () => {
    const buffer = Buffer.from(bytes);
    const header = parseHeader(buffer);
    buffer.fill(0);
    expect(header.origin).toEqual(input.origin);
    expect(header.wraps).toEqual(input.wraps);
  });

  it.each([
    ['magic', patched(bytes, 0, 0x4e), 'malformed'],
    ['version 0', patched(bytes, 4, 0), 'unsupported_envelope'],
    ['version 2', patched(bytes, 4, 2), 'unsupported_envelope'],
    ['suite 2', patched(bytes, 5, 2), 'unsupported_envelope'],
    ['kind 0', patched(bytes, 6, 0), 'unsupported_envelope'],
    ['kind 6', patched(bytes, 6, 6), 'unsupported_envelope'],
    ['reserved tag key', patched(bytes, 7, 1), 'unsupported_envelope'],
    ['header_len below any', withU32(bytes, 8, 155), 'malformed'],
    ['header_len one more', withU32(bytes, 8, headerLength + 1), 'malformed'],
    ['header_len one less', withU32(bytes, 8, headerLength - 1), 'malformed'],
    ['header_len above 16 KiB', withU32(bytes, 8, maxHeaderLength + 1), 'malformed'],
    ['header_len huge', withU32(bytes, 8, 0xffff_ffff), 'malformed'],
    ['body_len one more', withU32(bytes, 12, bytes.length - headerLength + 1), 'malformed'],
    ['body_len below the smallest body', withU32(bytes, 12, 1_039), 'malformed'],
    ['body_len huge', withU32(bytes, 12, 0xffff_ffff), 'malformed'],
    ['sum beyond 32 bits', withU32(withU32(bytes, 8, 0xffff_ff00), 12, 0x500), 'malformed'],
    ['tag all zero', patched(bytes, 48, ...filled(0, 16)), 'malformed'],
    ['envelope_id not random', patched(bytes, 78, 0x10), 'malformed'],
    ['wrap_count 0', patched(bytes, 152, 0), 'malformed'],
    ['wrap_count 2', patched(bytes, 152, 2), 'malformed'],
    ['wrap_count 255', patched(bytes, 152, 255), 'malformed'],
    ['wrap length one more', patched(bytes, 154, 0x95), 'malformed'],
    ['wrap length one less', patched(bytes, 154, 0x93), 'malformed'],
    ['one byte after', concatBytes(bytes, Uint8Array.of(0)), 'malformed'],
  ])('rejects: %s', (_, broken, reason) => {
    expect(parse(broken)).toBe(reason);
  });

  it('has at most four wraps, even where five fit', () => {
    const wrap = Uint8Array.of(9, 3, 0, 7, 7, 7);
    /** The header with `count` more wraps after its own */
    const withMore = (count: number) => {
      const more = concatBytes(...Array.from({ length: count }, () => wrap));
      const counted = patched(withU32(bytes, 8, headerLength + more.length), 152, 1 + count);
      return concatBytes(counted.subarray(0, headerLength), more, bytes.subarray(headerLength));
    };
    expect([0, 3, 4, 254].map((count) => parse(withMore(count)))).toEqual([
      'accepted',
      'accepted',
      'malformed',
      'malformed',
    ]);
    const wraps = (count: number) => Array.from({ length: count }, () => ({ type: 9, bytes: filled(7, 3) }));
    expect(parse(seal({ wraps: wraps(4) }).bytes)).toBe('accepted');
    expect(() => seal({ wraps: wraps(5) })).toThrow(RangeError);
  });

  it('does not allocate the length that a hostile header claims', () => {
    const hostile = withU32(withU32(bytes.slice(0, 153), 8, 16_384), 12, 1_500_000);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 2_000; i++) expect(refusal(() => parseHeader(hostile))).toBe('malformed');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
  });

  it('throws only EnvelopeError, for any bytes', () => {
    const start = bytes.slice(0, 8);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (noise, plausible) => {
        refusal(() => parseHeader(plausible ? concatBytes(start, noise) : noise));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['kind', { kind: 6 as 1 }],
    ['envelope_id', { envelopeId: filled(0, 16) }],
    ['recipient_pk', { recipientPk: filled(1, 31) }],
    ['enc', { enc: filled(1, 33) }],
    ['origin', { origin: filled(1, 20) }],
    ['tag', { tag: filled(0, 16) }],
    ['epoch', { keyEpoch: -1n }],
    ['no wraps', { wraps: [] }],
    ['body too short', { bodyLength: 1_039 }],
    ['envelope too long', { bodyLength: 1_572_864 }],
    ['header too long', { wraps: [{ type: 9, bytes: filled(1, 16_300) }] }],
  ])('cannot be built with a bad %s', (_, change) => {
    expect(() => buildHeader({ ...parseHeader(bytes), ...change })).toThrow(RangeError);
  });

  it('accepts a header of exactly 16 KiB', () => {
    const wraps = [{ type: 9, bytes: filled(1, maxHeaderLength - 156) }];
    const large = seal({ wraps }).bytes;
    expect(parseHeader(large.subarray(0, maxHeaderLength), large.length).wraps).toEqual(wraps);
    expect(() => seal({ wraps: [{ type: 9, bytes: filled(1, maxHeaderLength - 155) }] })).toThrow(RangeError);
  });

  it('checks origin, tag and epoch in that order', () => {
    const header = parseHeader(bytes);
    const { origin, tag, maxEpoch } = sealed.expectation;
    const check = (change: object) =>
      refusal(() => checkHeaderFields(header, { origin, tag, maxEpoch, ...change }));
    expect(check({})).toBe('accepted');
    expect(check({ maxEpoch: 8n })).toBe('accepted');
    expect(check({ maxEpoch: 6n })).toBe('future_epoch');
    expect(check({ tag: filled(1, 16), maxEpoch: 6n })).toBe('wrong_tag');
    expect(check({ origin: filled(1), tag: filled(1, 16) })).toBe('wrong_origin');
    expect(checkHeader(bytes, { origin, tag, maxEpoch }).header).toEqual(header);
  });

  it('has known kinds', () => {
    const meta = { created_at: '2026-02-01T12:00:00Z', private: true } as const;
    for (const kind of Object.values(envelopeKind))
      expect(parseHeader(seal({ kind, meta }).bytes).kind).toBe(kind);
  });
});
