import { expect, it } from 'vitest';
import {
  addressPattern,
  canonicalAddressPattern,
  looseAddressPattern,
  normalizeAddress,
  shortAddressPattern,
} from '../src/address.ts';

const full = `0x${'0a'.repeat(32)}`;

it.each([
  [full, [true, true, true, true]],
  [full.replaceAll('a', 'A'), [false, true, true, true]],
  ['0x2', [false, false, true, true]],
  ['2', [false, false, false, true]],
  [full.slice(2), [false, false, false, true]],
  ['', [false, false, false, false]],
  ['0x', [false, false, false, false]],
  [`${full}0`, [false, false, false, false]],
  [`${full}\n`, [false, false, false, false]],
  ['0xg', [false, false, false, false]],
])('each pattern accepts the notations of its table: %j', (text, accepted) => {
  const patterns = [canonicalAddressPattern, addressPattern, shortAddressPattern, looseAddressPattern];
  expect(patterns.map((pattern) => pattern.test(text))).toEqual(accepted);
});

it('normalizes to lower case, with the prefix and all leading zeros', () => {
  const zeros = '0'.repeat(62);
  expect(normalizeAddress(full.replaceAll('a', 'A'))).toBe(full);
  expect(normalizeAddress(full.slice(2))).toBe(full);
  for (const text of ['0xaB', 'aB', '0XAB']) expect(normalizeAddress(text)).toBe(`0x${zeros}ab`);
  expect(normalizeAddress('0x2')).toBe(`0x${zeros}02`);
});
