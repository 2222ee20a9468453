import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeUleb128, readUleb128 } from '../src/uleb128.ts';

function read(bytes: readonly number[], maxBytes: number): number {
  const rest = [...bytes];
  const value = readUleb128(() => rest.shift() ?? expect.fail('read past the end'), maxBytes);
  expect(rest).toEqual([]);
  return value;
}

it('writes the shortest encoding, and reads it', () => {
  expect([0, 127, 128, 624_485].map(encodeUleb128)).toEqual([[0], [127], [128, 1], [0xe5, 0x8e, 0x26]]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (value) => {
      const bytes = encodeUleb128(value);
      expect(bytes).toHaveLength(Math.max(1, Math.ceil(value.toString(2).length / 7)));
      expect(read(bytes, 5)).toBe(value);
    }),
  );
});

it('keeps every bit of the largest safe integer', () => {
  const bytes = encodeUleb128(Number.MAX_SAFE_INTEGER);
  expect(bytes).toHaveLength(8);
  expect(read(encodeUleb128(2 ** 49 - 1), 7)).toBe(2 ** 49 - 1);
});

it('rejects a number that is too long or not in its shortest encoding', () => {
  for (const bytes of [
    [0x80, 0x00],
    [0xff, 0x80, 0x00],
  ])
    expect(() => read(bytes, 5)).toThrow(RangeError);
  expect(() => readUleb128(() => 0xff, 3)).toThrow(RangeError);
});
