import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asStored } from '../../src/memories/resident/half-floats.ts';
import { createVectorTable } from '../../src/memories/resident/vector-table.ts';

/** The value of a 16-bit float, by its bits. */
const floatOf = (bits: number): number => new DataView(Uint16Array.of(bits).buffer).getFloat16(0, true);
const float = fc.float({ min: -1, max: 1, noNaN: true });
/** Bits of the 16-bit floats between −1 and 1 */
const half = fc.tuple(fc.integer({ min: 0, max: 0x3c00 }), fc.constantFrom(0, 0x8000)).map(([a, b]) => a | b);

function sent(rows: readonly (readonly number[])[]): Buffer {
  return Buffer.concat(
    rows.map((row) => {
      const bytes = Buffer.alloc(4 + row.length * 2);
      bytes.writeUInt16BE(row.length, 0);
      for (const [i, bits] of row.entries()) bytes.writeUInt16BE(bits, 4 + i * 2);
      return bytes;
    }),
  );
}

const vectors = fc.integer({ min: 1, max: 70 }).chain((dimension) =>
  fc.record({
    rows: fc.array(fc.array(half, { minLength: dimension, maxLength: dimension }), {
      minLength: 1,
      maxLength: 30,
    }),
    to: fc
      .array(float, { minLength: dimension, maxLength: dimension })
      .map((each) => Float32Array.from(each)),
    keep: fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
    count: fc.integer({ min: 1, max: 31 }),
  }),
);

describe('vectors in memory', () => {
  test('have the distance of their 16-bit floats', () => {
    fc.assert(
      fc.property(vectors, ({ rows, to }) => {
        const table = createVectorTable(to.length);
        const slots = table.add(sent(rows));
        for (const [i, distance] of table.distances(slots, to).entries()) {
          const product = rows[i]!.reduce((sum, bits, j) => sum + floatOf(bits) * to[j]!, 0);
          expect(distance).toBeCloseTo(1 - product, 4);
        }
      }),
    );
  });

  test('are chosen by the bits in which their signs differ', () => {
    fc.assert(
      fc.property(vectors, ({ rows, to, keep, count }) => {
        const table = createVectorTable(to.length);
        const slots = table.add(sent(rows));
        const differing = (i: number): number =>
          rows[i]!.filter((bits, j) => floatOf(bits) > 0 !== to[j]! > 0).length;
        const allowed = slots.filter((_, i) => keep[i]);
        const chosen = table.shortlist(to, count, (slot) => allowed.includes(slot));
        expect(new Set(chosen).size).toBe(Math.min(count, allowed.length));
        const values = chosen.map((slot) => differing(slots.indexOf(slot))).sort((a, b) => a - b);
        const least = allowed.map((slot) => differing(slots.indexOf(slot))).sort((a, b) => a - b);
        expect(values).toEqual(least.slice(0, count));
      }),
    );
  });

  test('leave their slots to others, over many blocks', () => {
    const table = createVectorTable(3);
    const row = [0x3c00, 0, 0x8000];
    const slots = table.add(sent(Array.from({ length: 1_000 }, () => row)));
    const { bytes } = table;
    for (const slot of slots) table.remove(slot);
    expect(table.size).toBe(0);
    expect(table.shortlist(new Float32Array(3), 10, () => true)).toEqual([]);
    expect(new Set(table.add(sent(Array.from({ length: 1_000 }, () => row))))).toEqual(new Set(slots));
    expect(table.bytes).toBe(bytes);
    expect([...table.distances(slots, Float32Array.of(1, 0, 0))].every((distance) => distance === 0)).toBe(
      true,
    );
  });

  test('are compared with a question rounded as Postgres rounds it', () => {
    const f16round = (Math as unknown as { f16round(value: number): number }).f16round;
    fc.assert(
      fc.property(fc.array(fc.tuple(float, fc.integer({ min: 0, max: 30 }))), (pairs) => {
        const values = Float32Array.from(pairs, ([value, small]) => value * 2 ** -small);
        expect([...asStored(values)]).toEqual([...values].map(f16round));
      }),
      { numRuns: 1_000 },
    );
  });
});
