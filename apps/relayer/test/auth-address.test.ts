import type { IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createAddressLimit } from '../src/auth/address-limit.ts';
import { addressBlock, clientAddress } from '../src/auth/client-address.ts';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('the client address', () => {
  it.each<[string, string | undefined, number, string]>([
    ['192.0.2.1', '203.0.113.9', 0, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', 1, '203.0.113.9'],
    // What the client itself wrote stands left of what the proxy added
    ['192.0.2.1', '1.2.3.4, 203.0.113.9', 1, '203.0.113.9'],
    ['192.0.2.1', '1.2.3.4, 203.0.113.9, 198.51.100.7', 2, '203.0.113.9'],
    ['192.0.2.1', '203.0.113.9', 2, '192.0.2.1'],
    ['192.0.2.1', undefined, 1, '192.0.2.1'],
    ['192.0.2.1', 'unknown', 1, '192.0.2.1'],
    ['192.0.2.1', '', 1, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9:4711', 1, '203.0.113.9'],
    ['192.0.2.1', '[2001:DB8::1]:4711', 1, '2001:db8::1'],
    ['::ffff:192.0.2.1', undefined, 0, '192.0.2.1'],
    ['::ffff:c000:0201', undefined, 0, '192.0.2.1'],
    ['fe80::1%eth0', undefined, 0, 'fe80::1'],
  ])('socket %s, forwarded %s, %i hops: %s', (socket, forwarded, hops, expected) => {
    expect(clientAddress(from(socket, forwarded), hops)).toBe(expected);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is counted as %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});

const dayMs = 24 * 3_600_000;

describe('the limit of an address', () => {
  it('counts per block and minute, and what is given back does not count', () => {
    let nowMs = 0;
    const limit = createAddressLimit(2, () => nowMs);
    const giveBack = limit.take('a');
    limit.take('a');
    expect(() => limit.take('a')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfter: 60 }));
    limit.take('b');
    giveBack();
    limit.take('a');
    expect(() => limit.take('a')).toThrow();
    nowMs = 59_999;
    expect(() => limit.take('a')).toThrow(expect.objectContaining({ retryAfter: 1 }));
    nowMs = 60_000;
    limit.take('a');
  });

  it('lasts no longer when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + dayMs });
    try {
      const limit = createAddressLimit(1);
      limit.take('a');
      vi.setSystemTime(Date.now() - dayMs);
      expect(() => limit.take('a')).toThrow(expect.objectContaining({ retryAfter: 60 }));
    } finally {
      vi.useRealTimers();
    }
  });
});
