import { expect, test } from 'vitest';
import { walletLevel } from '../src/jobs/alerts/wallet-level.ts';
import type { WalletLevel } from '../src/jobs/rows/wallet-rows.ts';

/** What a wallet's levels are along this way, from a full one. */
function along(threshold: number, ...paysFor: number[]): WalletLevel[] {
  let level: WalletLevel = 'ok';
  return paysFor.map((count) => {
    level = walletLevel(level, count, threshold);
    return level;
  });
}

test('a wallet is told of on the way down at the threshold and at nothing, and up only well above', () => {
  expect(along(200, 1_000, 200, 199, 1, 0)).toEqual(['ok', 'ok', 'low', 'low', 'empty']);
  expect(along(200, 0, 99, 100, 249, 250)).toEqual(['empty', 'empty', 'low', 'low', 'ok']);
});

test('a wallet at the edge changes nothing', () => {
  const edge = Array.from({ length: 20 }, (_, i) => 199 + (i % 3));
  expect(new Set(along(200, ...edge))).toEqual(new Set(['low']));
  const dripped = Array.from({ length: 20 }, (_, i) => i % 2);
  expect(new Set(along(200, ...dripped))).toEqual(new Set(['empty']));
});

test('the smallest threshold does not flap either', () => {
  expect(along(1, 1, 0, 1, 4, 5, 9, 10)).toEqual(['ok', 'empty', 'empty', 'empty', 'low', 'low', 'ok']);
});
