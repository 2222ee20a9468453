import { expect, test } from 'vitest';
import { walletLevel } from '../../src/jobs/alerts/wallet-level.ts';
import type { WalletLevel } from '../../src/jobs/rows/wallet-rows.ts';

/** The levels of a wallet along these balances, starting from a full one. */
function along(threshold: number, ...paysFor: number[]): WalletLevel[] {
  let level: WalletLevel = 'ok';
  return paysFor.map((count) => {
    level = walletLevel(level, count, threshold);
    return level;
  });
}

test('reports a falling level at the threshold and at zero, and a rising one only well above', () => {
  expect(along(200, 1_000, 200, 199, 1, 0)).toEqual(['ok', 'ok', 'low', 'low', 'empty']);
  expect(along(200, 0, 99, 100, 249, 250)).toEqual(['empty', 'empty', 'low', 'low', 'ok']);
});

test('does not change at the edge of a level', () => {
  const edge = Array.from({ length: 20 }, (_, i) => 199 + (i % 3));
  expect(new Set(along(200, ...edge))).toEqual(new Set(['low']));
  const dripped = Array.from({ length: 20 }, (_, i) => i % 2);
  expect(new Set(along(200, ...dripped))).toEqual(new Set(['empty']));
});

test('does not flap with the smallest threshold either', () => {
  expect(along(1, 1, 0, 1, 4, 5, 9, 10)).toEqual(['ok', 'empty', 'empty', 'empty', 'low', 'low', 'ok']);
});
