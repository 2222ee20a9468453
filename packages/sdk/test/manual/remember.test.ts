import { decodeCoarse, encodeCoarse } from '@memrelay/protocol/coarse-vectors';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mapBounded } from '../../src/manual/bounded.ts';
import { fitting } from '../../src/manual/remember.ts';

const vectors = (count: number, dimension: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    Float32Array.from({ length: dimension }, (_, at) => Math.sin(i * 31 + at)),
  );
const cosine = (a: Float32Array, b: Float32Array): number => {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

it('one byte per number preserves the direction of a vector', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 }), {
        minLength: 1,
        maxLength: 4,
      }),
      (numbers) => {
        const input = numbers
          .map((values) => Float32Array.from(values))
          .filter((vector) => vector.some(Boolean));
        const read = decodeCoarse(encodeCoarse(input), 64);
        expect(read).toHaveLength(input.length);
        for (const [i, vector] of input.entries()) expect(cosine(vector, read[i]!)).toBeGreaterThan(0.999);
      },
    ),
  );
  expect(encodeCoarse([])).toHaveLength(0);
  expect([...decodeCoarse(encodeCoarse([Float32Array.of(0, 0)]), 2)[0]!]).toEqual([0, 0]);
  expect(() => decodeCoarse(new Uint8Array(7), 2)).toThrow(RangeError);
});

it('merges vectors with their neighbours if space runs out, omitting none', () => {
  const input = vectors(291, 8);
  expect(fitting(input, 291 * 8)).toBe(input);
  for (const room of [290 * 8, 100 * 8, 8]) {
    const kept = fitting(input, room);
    expect(kept.length * 8).toBeLessThanOrEqual(room);
    const sum = (of: readonly Float32Array[]) => of.reduce((total, vector) => total + vector[3]!, 0);
    expect(sum(kept)).toBeCloseTo(sum(input), 3);
  }
  expect(fitting(input, 7)).toEqual([]);
});

it('runs a few at a time, in order, and stops at the first failure', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number): Promise<number> => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    return item * 2;
  };
  expect(await mapBounded([1, 2, 3, 4, 5], 2, work)).toEqual([2, 4, 6, 8, 10]);
  expect(most).toBe(2);
  expect(await mapBounded([], 2, work)).toEqual([]);
  await expect(mapBounded([1], 2, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
