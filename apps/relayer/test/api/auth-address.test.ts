import type { IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createAddressLimit } from '../../src/api/auth/address-limit.ts';
import { addressBlock, clientAddress } from '../../src/api/auth/client-address.ts';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('the client address', () => {
  it.each<[string, string | undefined, number, string]>([
    ['192.0.2.1', '203.0.113.9', 0, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', 1, '203.0.113.9'],
    // Entries written by the client are to the left of the proxy's entry
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
  ])('counts %s as %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});

const dayMs = 24 * 3_600_000;

describe('the limit of an address', () => {
  it('counts per address block and minute, except for requests that gave their unit back', () => {
    let nowMs = 0;
    const limit = createAddressLimit({ failuresPerMinute: 2, now: () => nowMs });
    const take = (block: string) => limit.take(block, undefined);
    const first = take('a');
    take('a');
    expect(() => take('a')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfter: 60 }));
    take('b');
    first.giveBack();
    take('a');
    expect(() => take('a')).toThrow();
    nowMs = 59_999;
    expect(() => take('a')).toThrow(expect.objectContaining({ retryAfter: 1 }));
    nowMs = 60_000;
    take('a');
  });

  it('lasts no longer when the clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + dayMs });
    try {
      const limit = createAddressLimit({ failuresPerMinute: 1 });
      limit.take('a', undefined);
      vi.setSystemTime(Date.now() - dayMs);
      expect(() => limit.take('a', undefined)).toThrow(expect.objectContaining({ retryAfter: 60 }));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a known key at an address whose budget is spent', () => {
  const rateLimited = (retryAfter: number) => expect.objectContaining({ code: 'rate_limited', retryAfter });
  const size = (burst: number, perSecond: number) => ({ burst, perSecond });
  const mib = 1024 * 1024;

  /** An address with two known keys whose budget others have used up. */
  function spentAddress() {
    const clock = { ms: 0 };
    const known = {
      keyRequests: size(3, 1),
      addressRequests: size(5, 2),
      keyBytes: size(4 * mib, mib),
      addressBytes: size(6 * mib, mib),
    };
    const limit = createAddressLimit({ failuresPerMinute: 2, known, now: () => clock.ms });
    for (const key of ['known', 'other']) limit.take('a', key).succeed();
    for (let i = 0; i < 2; i++) limit.take('a', 'junk');
    return { clock, limit, take: (key: string | undefined, block = 'a') => limit.take(block, key) };
  }

  it('is accepted as long as it succeeds, while unknown keys wait for the next minute', () => {
    const { take } = spentAddress();
    for (let i = 0; i < 100; i++) take('known').succeed();
    for (let i = 0; i < 100; i++) take('known').giveBack();
    expect(() => take('stranger')).toThrow(rateLimited(60));
    expect(() => take(undefined)).toThrow(rateLimited(60));
  });

  it('has its own limit of failures, which refills each second', () => {
    const { clock, take } = spentAddress();
    for (let i = 0; i < 3; i++) take('known');
    expect(() => take('known')).toThrow(rateLimited(1));
    take('other').succeed();
    clock.ms = 1_000;
    take('known').succeed();
    take('known');
    expect(() => take('known')).toThrow(rateLimited(1));
  });

  it('shares a limit with all known keys of its address, and with none of another address', () => {
    const { limit, clock, take } = spentAddress();
    for (let i = 0; i < 3; i++) take('known');
    for (let i = 0; i < 2; i++) take('other');
    expect(() => take('other')).toThrow(rateLimited(1));
    for (let i = 0; i < 2; i++) limit.take('b', 'junk');
    take('other', 'b').succeed();
    clock.ms = 500;
    take('other').succeed();
  });

  it('is charged for bodies as they arrive, except for small ones and successful requests', () => {
    const { clock, take } = spentAddress();
    for (let i = 0; i < 20; i++) {
      const good = take('known');
      good.receive(2 * mib);
      good.succeed();
    }
    const large = take('known');
    large.receive(3 * mib);
    expect(() => large.receive(2 * mib)).toThrow(rateLimited(1));
    const small = take('known');
    small.receive(16 * 1024);
    small.succeed();
    const theirs = take('other');
    expect(() => theirs.receive(4 * mib)).toThrow(rateLimited(1));
    clock.ms = 2_000;
    const later = take('known');
    later.receive(2 * mib);
  });

  it('is forgotten a day after its last success', () => {
    const { clock, take } = spentAddress();
    clock.ms = dayMs + 1;
    for (let i = 0; i < 2; i++) take('junk');
    expect(() => take('known')).toThrow(rateLimited(60));
  });
});
