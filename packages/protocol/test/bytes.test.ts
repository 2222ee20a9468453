import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyCaseHex32Pattern,
  base64ByteLength,
  base64Pattern,
  fromBase64,
  fromBase64Url,
  fromHex,
  hex32Pattern,
  toBase64,
  toBase64Url,
  toHex,
} from '../src/bytes.ts';

const anyBytes = fc.uint8Array({ maxLength: 200 });

describe('hex', () => {
  it('agrees with Node and reads its own output', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const hex = toHex(bytes);
        expect(hex).toBe(Buffer.from(bytes).toString('hex'));
        for (const text of [hex, hex.toUpperCase(), `0x${hex}`]) expect(fromHex(text)).toEqual(bytes);
      }),
    );
  });

  it('rejects odd lengths, other characters and a second prefix', () => {
    for (const text of ['0', '0x0', 'g0', '0x0x00', ' 00', '00\n', '0X00', '+1'])
      expect(() => fromHex(text), text).toThrow(RangeError);
  });

  it('accepts upper case only where the pattern says so', () => {
    const upper = 'AB'.repeat(32);
    expect(anyCaseHex32Pattern.test(upper)).toBe(true);
    expect(hex32Pattern.test(upper)).toBe(false);
    for (const pattern of [hex32Pattern, anyCaseHex32Pattern])
      for (const text of ['a'.repeat(63), 'a'.repeat(65), `0x${'a'.repeat(64)}`, `${'a'.repeat(64)}\n`])
        expect(pattern.test(text), text).toBe(false);
  });
});

describe('base64', () => {
  it('agrees with Node and reads its own output', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const standard = Buffer.from(bytes).toString('base64');
        expect(toBase64(bytes)).toBe(standard);
        expect(fromBase64(standard)).toEqual(bytes);
        expect(base64Pattern.test(standard)).toBe(true);
        expect(base64ByteLength(standard)).toBe(bytes.length);
        const urlSafe = Buffer.from(bytes).toString('base64url');
        expect(toBase64Url(bytes)).toBe(urlSafe);
        expect(fromBase64Url(urlSafe)).toEqual(bytes);
      }),
    );
  });

  it('converts a million bytes', () => {
    const bytes = new Uint8Array(1_000_001).fill(7);
    expect(Buffer.compare(fromBase64(toBase64(bytes)), bytes)).toBe(0);
  });

  it('rejects white space, missing padding, the other alphabet and unused bits that are set', () => {
    for (const text of ['AA', 'AA=', 'AAA', 'A===', '=AAA', 'AA==AA==', 'A A=', 'AAA_', 'AB==', 'AAB='])
      expect(() => fromBase64(text), text).toThrow(RangeError);
    for (const text of ['A', 'AA==', 'AAA=', 'A+', 'A/', 'AA\n', 'AB', 'AAB'])
      expect(() => fromBase64Url(text), text).toThrow(RangeError);
  });

  it('accepts unused bits that are set in the form of request bodies', () => {
    for (const text of ['AB==', 'AAB=']) expect(base64Pattern.test(text)).toBe(true);
    for (const text of ['AA', 'A===', 'AAA_', 'AA==\n']) expect(base64Pattern.test(text)).toBe(false);
  });
});
