import { expect, it } from 'vitest';
import { remainingLimits, serverStages } from '../src/session/observed.ts';

it('reads what is left of each limit', () => {
  const policy = '"key";q=300;w=60, "owner-hour";q=20000;w=3600, "new";q=1';
  expect(remainingLimits(policy, '"key";r=299;t=1, "owner-hour";r=19990;t=2')).toEqual([
    { name: 'key', units: 300, left: 299, windowSeconds: 60 },
    { name: 'owner-hour', units: 20_000, left: 19_990, windowSeconds: 3_600 },
  ]);
  expect(remainingLimits(null, null)).toEqual([]);
});

it('reads the stages of Server-Timing', () => {
  expect(serverStages('auth;dur=1.20, embed;dur=0.00, total')).toEqual([
    ['auth', 1.2],
    ['embed', 0],
  ]);
  expect(serverStages(null)).toEqual([]);
});
