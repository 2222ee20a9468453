import { expect, test } from 'vitest';
import { runKillRounds } from './kill-rounds.ts';
import { temporaryDirectory } from './running-store.ts';

/** `kill-long.ts` does it 500 times. */
const rounds = 20;
/** A start takes a second, or several on a busy machine. */
const timeoutMs = 300_000;

test(
  'kill -9 in the middle of stores loses no acknowledged blob and leaves no partial one',
  async () => {
    const result = await runKillRounds({ rounds, dataDir: await temporaryDirectory() });
    expect(result).toMatchObject({ lost: [], wrong: [], leftOver: [] });
    expect(result.acknowledged).toBeGreaterThanOrEqual(rounds);
  },
  timeoutMs,
);
