import { expect, test } from 'vitest';
import type { AccountSnapshot, Delegate } from '../../src/accounts/account-directory.ts';
import { createKeyUses } from '../../src/accounts/key-uses.ts';

test('reports when each key of an account was last used, and nothing about removed keys or other accounts', () => {
  let now = Date.parse('2026-03-01T10:00:00Z');
  const uses = createKeyUses(() => now);
  const [publicKey, unused] = ['a'.repeat(64), 'b'.repeat(64)];
  const delegates = [publicKey, unused].map((key) => ({ publicKey: key }) as Delegate);
  const account = { accountId: '0x1', delegates } as unknown as AccountSnapshot;
  const other = { ...account, accountId: '0x2' };
  expect(uses.of(account)).toEqual([]);
  uses.record({ account, publicKey });
  now += 60_000;
  uses.record({ account, publicKey });
  uses.record({ account: other, publicKey: unused });
  expect(uses.of(account)).toEqual([{ public_key: publicKey, last_used: '2026-03-01T10:01:00.000Z' }]);
  expect(uses.of({ ...account, delegates: [] })).toEqual([]);
});
