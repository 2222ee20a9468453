import { expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { tipConfig, tipFor } from '../src/upload-relay/tip.ts';

const address = `0x${'71'.repeat(32)}`;

function tipOf(args: string[], env: Record<string, string> = {}) {
  return readConfig(['--data-dir', 'x', ...args], env).tip;
}

test('a tip is a constant or linear in the encoded size, by flag or variable', () => {
  expect(tipOf([])).toBeUndefined();
  expect(tipOf(['--tip-address', address, '--tip-const', '105'])).toEqual({
    address,
    kind: { const: 105 },
    freshnessMs: 36_000_000,
  });
  const env = {
    BLOBSTORE_TIP_ADDRESS: '0x2',
    BLOBSTORE_TIP_LINEAR_BASE: '10',
    BLOBSTORE_TIP_LINEAR_PER_KIB: '2',
    BLOBSTORE_TIP_FRESHNESS: '5m',
  };
  expect(tipOf([], env)).toEqual({
    address: `0x${'2'.padStart(64, '0')}`,
    kind: { linear: { base: 10, perEncodedKib: 2 } },
    freshnessMs: 300_000,
  });
});

test.each([
  [['--tip-const', '1'], 'BLOBSTORE_TIP_ADDRESS'],
  [['--tip-address', 'somebody', '--tip-const', '1'], '--tip-address must be'],
  [['--tip-address', address], 'either --tip-const'],
  [['--tip-address', address, '--tip-const', '1', '--tip-linear-base', '1'], 'either --tip-const'],
  [['--tip-address', address, '--tip-const', '-1'], '--tip-const'],
  [['--tip-address', address, '--tip-const', '1', '--tip-freshness', 'soon'], '--tip-freshness'],
])('%j is rejected as a setting', (args, message) => {
  expect(() => tipOf(args)).toThrow(message);
});

test('a linear tip counts started KiB of the encoded blob, and is named on the wire', () => {
  const kind = { linear: { base: 10, perEncodedKib: 2 } };
  // 66,034,000 encoded bytes over 1000 shards are 64,486.3 KiB.
  expect(tipFor(kind, 1, 1000)).toBe(10n + 2n * 64_487n);
  expect(tipConfig({ address, kind, freshnessMs: 1 })).toEqual({
    send_tip: { address, kind: { linear: { base: 10, encoded_size_mul_per_kib: 2 } } },
  });
});
