import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNginx } from '../../src/services/nginx.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { killInTurn } from '../rolling/kill-in-turn.ts';

/** The short form of `npm run drill:rolling`. */
const hasPostgres =
  process.env.MEMRELAY_TEST_DATABASE_URL !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';

describe.skipIf(findNginx() === undefined)('two relayers behind nginx', () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await createTestBackend();
  });
  afterAll(() => backend?.drop());

  test.runIf(hasPostgres)(
    'lose no acknowledged write while they are killed in turn, and tool sessions are opened again at once',
    async () => {
      const result = await killInTurn({ backend, kills: 2, pauseMs: 2_500 });
      expect(result).toMatchObject({ kills: 2, lost: 0, duplicates: 0, failedReads: [] });
      expect(result.acknowledged).toBeGreaterThan(6);
      expect(result.reads).toBeGreaterThan(0);
      expect(result.tools.broken).toEqual([]);
      expect(result.tools.calls).toBeGreaterThan(0);
      // At most once when its relayer is killed, and once when the relayer is back
      expect(result.tools.reconnects).toBeLessThanOrEqual(4);
    },
    240_000,
  );
});
