import { describe, expect, test } from 'vitest';
import { type EmbeddedJob, statementsOf } from '../src/jobs/save-embedded.ts';

/** Of so many pieces; the rest is of no matter here. */
const embedded = (pieces: number) => ({ data: { chunks: Array(pieces).fill(undefined) } }) as EmbeddedJob;
const sizes = (...pieces: number[]): number[][] =>
  statementsOf(pieces.map(embedded)).map((group) => group.map(({ data }) => data.chunks.length));

describe('embedded jobs that are saved', () => {
  test('go together while their vectors are few', () => {
    expect(sizes()).toEqual([]);
    expect(sizes(1, 1, 1)).toEqual([[1, 1, 1]]);
    expect(sizes(100, 156)).toEqual([[100, 156]]);
  });

  test('go in order, each once, a long text by itself', () => {
    expect(sizes(100, 157, 1)).toEqual([[100], [157, 1]]);
    expect(sizes(1, 500, 1, 300, 2)).toEqual([[1], [500], [1], [300], [2]]);
  });
});
