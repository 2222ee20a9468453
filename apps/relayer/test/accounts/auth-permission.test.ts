import { describe, expect, it } from 'vitest';
import type { AccountSnapshot, DelegateScope } from '../../src/accounts/account-directory.ts';
import type { Caller, Permission } from '../../src/accounts/caller.ts';
import {
  namespacesWith,
  requireFreshAccount,
  requirePermission,
} from '../../src/accounts/require-permission.ts';

const tag = new Uint8Array(16).fill(1);
const tagHex = '01'.repeat(16);
const full: DelegateScope = { perms: 7, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 };

function caller(scope: Partial<DelegateScope> | undefined, account: Partial<AccountSnapshot> = {}): Caller {
  const delegate = {
    publicKey: 'ab'.repeat(32),
    address: `0x${'cd'.repeat(32)}`,
    label: '',
    createdAtMs: 0,
    proven: true,
    scope: scope && { ...full, ...scope },
  };
  return {
    account: { keyEpoch: 3, stale: false, delegates: [delegate], ...account } as AccountSnapshot,
    delegate,
    publicKey: delegate.publicKey,
    address: delegate.address,
    credentials: { encSession: undefined, delegateKey: undefined },
  };
}

const allowed = (...args: Parameters<typeof requirePermission>) => {
  try {
    requirePermission(...args);
    return true;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a permission', () => {
  it.each<[number, Permission, true | string]>([
    [1, 'read', true],
    [1, 'write', 'insufficient_scope'],
    [1, 'forget', 'insufficient_scope'],
    [2, 'write', true],
    [2, 'read', 'insufficient_scope'],
    [4, 'forget', true],
    [3, 'forget', 'insufficient_scope'],
    [0, 'read', 'insufficient_scope'],
  ])('with perms %i, %s: %s', (perms, permission, expected) => {
    expect(allowed(caller({ perms }), permission, tag)).toBe(expected);
  });

  it('requires the namespace among the tags; an empty list allows none', () => {
    expect(allowed(caller({ allNamespaces: false, tags: [tagHex] }), 'read', tag)).toBe(true);
    expect(allowed(caller({ allNamespaces: false, tags: ['02'.repeat(16)] }), 'read', tag)).toBe(
      'insufficient_scope',
    );
    expect(allowed(caller({ allNamespaces: false, tags: [] }), 'read', tag)).toBe('insufficient_scope');
  });

  it("starts at the minimum epoch, compared with the memory's epoch or otherwise the account's", () => {
    expect(allowed(caller({ minEpoch: 3 }), 'read', tag)).toBe(true);
    expect(allowed(caller({ minEpoch: 4 }), 'read', tag)).toBe('insufficient_scope');
    expect(allowed(caller({ minEpoch: 2 }), 'read', tag, { keyEpoch: 1 })).toBe('insufficient_scope');
    expect(allowed(caller({ minEpoch: 2 }), 'read', tag, { keyEpoch: 2 })).toBe(true);
  });

  it('ends at the exact millisecond of the expiry', () => {
    const one = caller({ expiresAtMs: 1_000 });
    expect(allowed(one, 'read', tag, { nowMs: 999 })).toBe(true);
    expect(allowed(one, 'read', tag, { nowMs: 1_000 })).toBe('delegate_expired');
  });

  it('is not granted without a scope record', () => {
    expect(allowed(caller(undefined), 'read', tag)).toBe('insufficient_scope');
  });

  it('lists its namespaces', () => {
    expect(namespacesWith(caller({}), 'read')).toBe('all');
    expect(namespacesWith(caller({ allNamespaces: false, tags: [tagHex] }), 'read')).toEqual(
      new Set([tagHex]),
    );
    expect(() => namespacesWith(caller({ perms: 2 }), 'read')).toThrow();
  });

  it('to decrypt or destroy is not granted from a cached account during an outage', () => {
    requireFreshAccount(caller({}));
    expect(() => requireFreshAccount(caller({}, { stale: true }))).toThrow(
      expect.objectContaining({ code: 'auth_unavailable' }),
    );
  });
});
