import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCodeIndex } from '../../src/memories/resident/code-index.ts';
import { createCodeTable } from '../../src/memories/resident/code-table.ts';

/** As `bit_send`: the first bit is the highest of the first byte. */
function packed(bits: readonly boolean[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [i, bit] of bits.entries()) if (bit) bytes[i >> 3]! |= 0x80 >> (i & 7);
  return bytes;
}

const differing = (bits: readonly boolean[], to: Float32Array): number =>
  bits.filter((bit, i) => bit !== to[i]! > 0).length;

const tables = fc.integer({ min: 1, max: 70 }).chain((dimension) => {
  const bits = fc.array(fc.boolean(), { minLength: dimension, maxLength: dimension });
  return fc.record({
    rows: fc.array(fc.record({ bits, visibility: fc.constantFrom(1, 2), removed: fc.boolean() }), {
      minLength: 1,
      maxLength: 60,
    }),
    added: fc.array(bits, { maxLength: 10 }),
    to: bits.map((each) => Float32Array.from(each, (bit) => (bit ? 0.5 : -0.5))),
    count: fc.integer({ min: 1, max: 40 }),
    visibility: fc.constantFrom(1, 2),
  });
});

describe('sign bits in memory', () => {
  test('are chosen by the bits in which they differ, among the visible ones', () => {
    fc.assert(
      fc.property(tables, ({ rows, added, to, count, visibility }) => {
        const table = createCodeTable(to.length);
        const there = new Map<number, { bits: readonly boolean[]; visibility: number }>();
        const add = (bits: readonly boolean[], seenBy: number): void => {
          const slot = table.add(packed(bits), seenBy);
          expect(there.has(slot)).toBe(false);
          there.set(slot, { bits, visibility: seenBy });
        };
        for (const row of rows) add(row.bits, row.visibility);
        for (const [slot] of [...there])
          if (rows[slot]!.removed) {
            table.remove(slot);
            there.delete(slot);
          }
        for (const bits of added) add(bits, 2);
        const visible = [...there].filter(([, each]) => each.visibility >= visibility);
        const expected = visible
          .map(([, { bits }]) => differing(bits, to))
          .sort((a, b) => a - b)
          .slice(0, count);
        const chosen = table.nearest(to, count, visibility);
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen.every((slot) => there.get(slot)!.visibility >= visibility)).toBe(true);
        expect(chosen.map((slot) => differing(there.get(slot)!.bits, to)).sort((a, b) => a - b)).toEqual(
          expected,
        );
      }),
    );
  });

  test('stay right while their memory grows', () => {
    const table = createCodeTable(1536);
    const bitsOf = (no: number): boolean[] =>
      Array.from({ length: 1536 }, (_, i) => (no >> (i % 14)) % 2 === 1);
    for (let no = 0; no < 10_000; no++) table.add(packed(bitsOf(no)), 2);
    for (const no of [0, 1, 4_095, 4_096, 9_999]) {
      const to = Float32Array.from(bitsOf(no), (bit) => (bit ? 1 : -1));
      expect(table.nearest(to, 1, 2)).toEqual([no]);
    }
  });

  test('of a long memory are its pieces, and go with it', async () => {
    const index = createCodeIndex();
    const piece = (no: number, bits: readonly boolean[]): Buffer => {
      const head = Buffer.alloc(6);
      head.writeUInt16BE(no, 0);
      head.writeUInt32BE(bits.length, 2);
      return Buffer.concat([head, packed(bits)]);
    };
    const [a, b] = [
      [true, false, true],
      [false, false, true],
    ];
    const to = Float32Array.of(1, -1, 1);
    index.put({ id: 'long', state: 'done', codes: Buffer.concat([piece(0, b), piece(1, a)]) });
    index.put({ id: 'other', state: 'pending', codes: piece(0, a) });
    index.put({ id: 'lost', state: 'lost', codes: undefined });
    expect(await index.shortlist(to, 1, false)).toEqual([{ memoryId: 'long', chunkNo: 1 }]);
    expect(await index.shortlist(to, 9, true)).toHaveLength(3);
    expect(['long', 'other', 'lost'].map(index.has)).toEqual([true, true, false]);
    index.put({ id: 'other', state: 'failed', codes: piece(0, a) });
    index.remove('long');
    expect(await index.shortlist(to, 9, true)).toEqual([]);
  });
});
