import { expect, test } from 'vitest';
import { expiryLines } from '../src/cost/expiry-remark.ts';
import { datesOf, epochText, untilEpoch } from '../src/cost/storage-dates.ts';

/** As on mainnet in 2026; FROST. */
const tariff = {
  storage: 11_000n,
  write: 20_000n,
  nShards: 1000,
  epoch: 33,
  maxEpochsAhead: 53,
};
const expiry = { epoch: 33, soonCount: 3, soonBytes: 4_800, firstEpoch: 34, renewed: true };

test('shows the price of an extension: the price of a renewal without the write fee', () => {
  const [what, who, how] = expiryLines(expiry, 2, tariff);
  expect(what).toBe('3 memories expire soon, the first at the start of storage epoch 34 (now 33).');
  // Three blobs of 66 MB encoded: 63 MiB each, so 3 · 63 · 2 · 11,000 FROST, and 3 · 63 · 20,000 for writing
  expect(who).toContain('at most 0.004158 WAL, against 0.007938 WAL for storing them again');
  expect(how).toBe('  npx memrelay blobs extend --until 34 --epochs 2');
});

test('proposes at most the number of epochs for sale, and shows no price if prices are unknown', () => {
  expect(expiryLines(expiry, 53, tariff)[2]).toBe('  npx memrelay blobs extend --until 34 --epochs 52');
  const [, who, how] = expiryLines({ ...expiry, renewed: false }, 2, undefined);
  expect(who).toBe(
    'The relayer does not store them again: they are then lost, unless you extend them, which costs the storage without the writing.',
  );
  expect(how).toContain('--epochs 2');
});

test('names dates where the network says when its epochs begin, and finds the epoch of a date', () => {
  const dateOf = datesOf({ epoch: 33, startedAtMs: Date.UTC(2026, 10, 20), durationMs: 14 * 86_400_000 });
  expect(expiryLines(expiry, 2, tariff, dateOf)[0]).toBe(
    '3 memories expire soon, the first on 2026-12-04, at the start of storage epoch 34 (now 33).',
  );
  expect(epochText(34, dateOf)).toBe('2026-12-04 (epoch 34)');
  expect(untilEpoch('2026-12-04', dateOf)).toBe(34);
  expect(untilEpoch('2026-12-03', dateOf)).toBe(33);
  expect(untilEpoch('40', dateOf)).toBe(40);
  const unknown = datesOf({ epoch: 33, startedAtMs: undefined, durationMs: 1 });
  expect(epochText(34, unknown)).toBe('epoch 34');
  for (const text of ['soon', '2026-13-01', '-1']) expect(() => untilEpoch(text, dateOf)).toThrow('--until');
  expect(() => untilEpoch('2026-12-04', unknown)).toThrow('not known for this network');
});
