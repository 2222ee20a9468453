import { randomBytes, randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

test('returns the same bytes in fewer pieces', async () => {
  for (const count of [0, 1, 500]) {
    const pieces = Array.from({ length: count }, () => randomBytes(randomInt(2000)));
    const batches: Buffer[] = [];
    for await (const batch of inBatches(Readable.from(pieces))) batches.push(batch);
    const whole = Buffer.concat(pieces);
    expect(Buffer.concat(batches).equals(whole)).toBe(true);
    expect(batches.length).toBeLessThanOrEqual(Math.ceil(whole.length / 65_536));
  }
});

test('passes a large piece on unchanged', async () => {
  const large = randomBytes(70_000);
  for await (const batch of inBatches(Readable.from([large]))) expect(batch).toBe(large);
});
