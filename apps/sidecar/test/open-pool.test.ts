import type { EnvelopeHeader } from '@memrelay/envelope/header';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { OpenPool } from '../src/open/open-pool.ts';
import type { OpenTask } from '../src/open/open-tasks.ts';

const pool = new OpenPool(pino({ enabled: false }));
afterAll(() => pool.close());

/** A batch of envelopes for another recipient, so each result is a failure. */
function task(count: number, bytes: number): OpenTask {
  const header = { recipientPk: new Uint8Array(32), enc: new Uint8Array(32) } as EnvelopeHeader;
  const envelopes = Array.from({ length: count }, () => ({
    envelope: { header, bytes: new Uint8Array(bytes) },
    key: 0,
    row: undefined,
  }));
  return { keys: [new Uint8Array(32).fill(1)], trustedSigners: [], envelopes };
}

test('a small batch does not wait for an earlier large one', async () => {
  const ended: string[] = [];
  const large = pool.open(task(60, 700_000)).then((results) => {
    ended.push('large');
    return results;
  });
  const small = pool.open(task(1, 2_000)).then((results) => {
    ended.push('small');
    return results;
  });
  expect(await small).toHaveLength(1);
  const results = await large;
  expect(results).toHaveLength(60);
  for (const result of results) expect(result).toEqual({ ok: false, reason: 'wrong_recipient' });
  expect(ended).toEqual(['small', 'large']);
});

test('opens an envelope larger than a piece alone, and handles an empty batch', async () => {
  expect(await pool.open(task(3, 1_500_000))).toHaveLength(3);
  expect(await pool.open(task(0, 0))).toEqual([]);
});
