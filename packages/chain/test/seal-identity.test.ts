import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeSealIdentity, parseSealIdentity } from '../src/seal-identity.ts';

const origin = `0x${'0a'.repeat(32)}`;
const tag = new Uint8Array(16).fill(7);

test('consists of origin, tag and little-endian epoch', () => {
  const identity = encodeSealIdentity({ origin, tag, epoch: 0x0102n });
  expect(Buffer.from(identity).toString('hex')).toBe(`${'0a'.repeat(32)}${'07'.repeat(16)}0201000000000000`);
});

test('decodes to what was encoded, also from the middle of a buffer', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }).filter((bytes) => bytes.some((byte) => byte !== 0)),
      fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
      (originBytes, someTag, epoch) => {
        const identity = {
          origin: `0x${Buffer.from(originBytes).toString('hex')}`,
          tag: Uint8Array.from(someTag),
          epoch,
        };
        const padded = new Uint8Array(60);
        padded.set(encodeSealIdentity(identity), 3);
        expect(parseSealIdentity(padded.subarray(3, 59))).toEqual(identity);
      },
    ),
  );
});

test('rejects an invalid tag or epoch', () => {
  const good = encodeSealIdentity({ origin, tag, epoch: 1n });
  expect(() => parseSealIdentity(good.subarray(1))).toThrow(RangeError);
  expect(() => parseSealIdentity(Uint8Array.of(...good, 0))).toThrow(RangeError);
  expect(() => parseSealIdentity(good.map((byte, i) => (i >= 32 && i < 48 ? 0 : byte)))).toThrow(RangeError);
  expect(() => encodeSealIdentity({ origin, tag: tag.subarray(1), epoch: 0n })).toThrow(RangeError);
  expect(() => encodeSealIdentity({ origin, tag: new Uint8Array(16), epoch: 0n })).toThrow(RangeError);
  expect(() => encodeSealIdentity({ origin, tag, epoch: 1n << 64n })).toThrow(RangeError);
  expect(() => encodeSealIdentity({ origin, tag, epoch: -1n })).toThrow(RangeError);
  expect(() => encodeSealIdentity({ origin: '0x12zz', tag, epoch: 0n })).toThrow();
});
