import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuse as fused, lexicalWeights, modelWeights } from '../../src/memories/recall/fusion.ts';
import type { Match } from '../../src/memories/rows/match.ts';
import { sampleMatch } from '../support/sample-match.ts';

/** A match with its similarity, and how often each of the question's terms occurs in it. */
const match = (id: string, similarity: number, steps: number[], near = true) =>
  sampleMatch(id, { distance: 1 - similarity, near, words: { steps, lengthBucket: 1 } });
const fuse = (...parts: Parameters<typeof fused>) => fused(...parts).found;
const collection = { texts: 1_000, meanLength: 8 };
const rare = [3, 5];
const ids = (ranked: ReturnType<typeof fuse>) => ranked.map((each) => each.match.id);
const byDistance = (matches: Match[]) => [...matches].sort((a, b) => a.distance - b.distance);
const similarities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 });

describe('merging two rankings', () => {
  test('keeps the vector order, with similarity as score, if no word is known', () => {
    fc.assert(
      fc.property(similarities, (all) => {
        const matches = byDistance(all.map((each, i) => match(`m${i}`, each, [0, 0])));
        const ranked = fuse({ matches, documents: [0, 0] }, collection, modelWeights);
        expect(ids(ranked)).toEqual(matches.map(({ id }) => id));
        for (const { score, match: of } of ranked) expect(score).toBeCloseTo(1 - of.distance, 10);
      }),
    );
  });

  test('uses the word order if the vectors do not discriminate', () => {
    const matches = [
      [0, 1],
      [1, 1],
      [0, 0],
      [2, 3],
    ].map((steps, i) => match(`m${i}`, 0.5, steps));
    for (const legs of [modelWeights, lexicalWeights])
      expect(ids(fuse({ matches, documents: rare }, collection, legs))).toEqual(['m3', 'm1', 'm0', 'm2']);
  });

  test('ranks first what is best in both; scores lie between the farthest and the best', () => {
    fc.assert(
      fc.property(similarities, fc.boolean(), (all, isModel) => {
        const sorted = all.sort((a, b) => b - a);
        const matches = sorted.map((each, i) => match(`m${i}`, each, i === 0 ? [1, 1] : [i % 2, 0]));
        const ranked = fuse(
          { matches, documents: rare },
          collection,
          isModel ? modelWeights : lexicalWeights,
        );
        expect(ranked[0]!.score).toBeGreaterThanOrEqual(
          ranked.find((each) => each.match.id === 'm0')!.score - 1e-9,
        );
        for (const { score } of ranked) {
          expect(score).toBeGreaterThanOrEqual(Math.min(...sorted) - 1e-9);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  test('does not let random vector similarity outrank a clear word match', () => {
    const draws = Array.from({ length: 40 }, (_, i) => match(`noise${i}`, 0.08 - i / 1_000, [0, 0]));
    const matches = [...draws, match('answer', 0.01, [2, 2], false)];
    const ranked = fuse({ matches, documents: rare }, collection, modelWeights);
    expect(ids(ranked)[0]).toBe('answer');
    expect(ranked[0]!.explanation).toMatchObject({
      keywords: { rank: 1, terms: 2 },
      vector_share: expect.any(Number),
    });
    expect(ranked[0]!.explanation.vector.rank).toBeUndefined();
    expect(ranked[0]!.explanation.vector_share).toBeLessThan(0.2);
  });

  test('does not let one common word outrank a clear vector match', () => {
    const near = [match('meant', 0.82, [0, 0, 0]), match('also', 0.8, [0, 0, 0])];
    const rest = Array.from({ length: 38 }, (_, i) =>
      match(`far${i}`, 0.3 - i / 1_000, [i === 7 ? 1 : 0, 0, 0]),
    );
    const ranked = fuse({ matches: [...near, ...rest], documents: [700, 4, 4] }, collection, modelWeights);
    expect(ids(ranked).slice(0, 2)).toEqual(['meant', 'also']);
  });

  test('separates two memories by their words if a model considers them equal', () => {
    const matches = [match('other', 0.8, [1, 0]), match('wanted', 0.79, [1, 1]), match('far', 0.2, [0, 0])];
    expect(ids(fuse({ matches, documents: rare }, collection, modelWeights))[0]).toBe('wanted');
  });
});
