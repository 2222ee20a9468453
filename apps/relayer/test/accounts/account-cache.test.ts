import { expect, test } from 'vitest';
import { AccountCache } from '../../src/accounts/account-cache.ts';
import type { AccountSnapshot } from '../../src/accounts/account-directory.ts';

test('a caller that needs current state does not join a read that started earlier', async () => {
  let nowMs = 1_000;
  const answers: ((version: bigint) => void)[] = [];
  const read = (accountId: string) =>
    new Promise<AccountSnapshot>((resolve) => {
      answers.push((objectVersion) => resolve({ accountId, objectVersion } as AccountSnapshot));
    });
  const cache = new AccountCache({ read, cacheMs: 4_000, now: () => nowMs });
  const first = cache.get('0x1');
  nowMs += 10;
  const [joined, fresh] = [cache.get('0x1'), cache.get('0x1', 0)];
  expect(answers.length).toBe(2);
  // The older read finishes last, and does not replace the newer result
  answers[1]!(2n);
  expect(await fresh).toMatchObject({ objectVersion: 2n });
  answers[0]!(1n);
  expect([await first, await joined]).toMatchObject([{ objectVersion: 1n }, { objectVersion: 1n }]);
  expect(await cache.get('0x1')).toMatchObject({ objectVersion: 2n });
  expect(answers.length).toBe(2);
});
