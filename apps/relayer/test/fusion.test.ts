import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Match } from '../src/memories/reading/match.ts';
import { fuse, lexicalWeights, modelWeights } from '../src/memories/recall/fusion.ts';

/** A match by its similarity, and how often each of the question's terms stands in it. */
function match(id: string, similarity: number, steps: number[], near = true): Match {
  return {
    id,
    distance: 1 - similarity,
    near,
    words: { steps, lengthBucket: 1 },
    state: 'done',
    blobId: id,
    envelopeId: undefined,
    envelopeSha256: Buffer.alloc(32),
    size: 1_000,
    importance: 0.5,
    createdAt: new Date(0),
  };
}
const collection = { texts: 1_000, meanLength: 8 };
const rare = [3, 5];
const ids = (found: ReturnType<typeof fuse>) => found.map((each) => each.match.id);
const byDistance = (matches: Match[]) => [...matches].sort((a, b) => a.distance - b.distance);
const similarities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 });

describe('two legs in one order', () => {
  test('without a known word the order is that of the vector, and the score the similarity', () => {
    fc.assert(
      fc.property(similarities, (all) => {
        const matches = byDistance(all.map((each, i) => match(`m${i}`, each, [0, 0])));
        const found = fuse({ matches, documents: [0, 0] }, collection, modelWeights);
        expect(ids(found)).toEqual(matches.map(({ id }) => id));
        for (const { score, match: of } of found) expect(score).toBeCloseTo(1 - of.distance, 10);
      }),
    );
  });

  test('where the vector tells nothing apart the order is that of the words', () => {
    const matches = [
      [0, 1],
      [1, 1],
      [0, 0],
      [2, 3],
    ].map((steps, i) => match(`m${i}`, 0.5, steps));
    for (const legs of [modelWeights, lexicalWeights])
      expect(ids(fuse({ matches, documents: rare }, collection, legs))).toEqual(['m3', 'm1', 'm0', 'm2']);
  });

  test('what is best in both legs is first; scores lie between the farthest and the best', () => {
    fc.assert(
      fc.property(similarities, fc.boolean(), (all, isModel) => {
        const sorted = all.sort((a, b) => b - a);
        const matches = sorted.map((each, i) => match(`m${i}`, each, i === 0 ? [1, 1] : [i % 2, 0]));
        const found = fuse({ matches, documents: rare }, collection, isModel ? modelWeights : lexicalWeights);
        expect(found[0]!.score).toBeGreaterThanOrEqual(
          found.find((each) => each.match.id === 'm0')!.score - 1e-9,
        );
        for (const { score } of found) {
          expect(score).toBeGreaterThanOrEqual(Math.min(...sorted) - 1e-9);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  test('a vector leg of chance does not hide what the words are sure of', () => {
    const draws = Array.from({ length: 40 }, (_, i) => match(`noise${i}`, 0.08 - i / 1_000, [0, 0]));
    const matches = [...draws, match('answer', 0.01, [2, 2], false)];
    const found = fuse({ matches, documents: rare }, collection, modelWeights);
    expect(ids(found)[0]).toBe('answer');
    expect(found[0]!.explanation).toMatchObject({
      keywords: { rank: 1, terms: 2 },
      vector_share: expect.any(Number),
    });
    expect(found[0]!.explanation.vector.rank).toBeUndefined();
    expect(found[0]!.explanation.vector_share).toBeLessThan(0.2);
  });

  test('one common word does not hide what a model is sure of', () => {
    const near = [match('meant', 0.82, [0, 0, 0]), match('also', 0.8, [0, 0, 0])];
    const rest = Array.from({ length: 38 }, (_, i) =>
      match(`far${i}`, 0.3 - i / 1_000, [i === 7 ? 1 : 0, 0, 0]),
    );
    const found = fuse({ matches: [...near, ...rest], documents: [700, 4, 4] }, collection, modelWeights);
    expect(ids(found).slice(0, 2)).toEqual(['meant', 'also']);
  });

  test('two memories are told apart by their words where a model thinks them equal', () => {
    const matches = [match('other', 0.8, [1, 0]), match('wanted', 0.79, [1, 1]), match('far', 0.2, [0, 0])];
    expect(ids(fuse({ matches, documents: rare }, collection, modelWeights))[0]).toBe('wanted');
  });
});
