import { describe, expect, test } from 'vitest';
import { addContext, isCohesive } from '../../src/memories/recall/context.ts';
import type { Fused, Relevance } from '../../src/memories/recall/fusion.ts';
import { sampleMatch } from '../support/sample-match.ts';

const match = (id: string) => sampleMatch(id, { distance: 1, near: false });
const relevance = (id: string, share: number): Relevance => ({
  match: match(id),
  share,
  score: share,
  explanation: { vector: { score: 0 }, vector_share: 0.1 },
});
const fused = (...found: Relevance[]): Fused => ({
  found,
  relevanceOf: ({ id }) => relevance(id, 0),
  scoreOf: (share) => share,
});
const shares = (ranked: readonly Relevance[]) =>
  Object.fromEntries(ranked.map((each) => [each.match.id, Number(each.share.toFixed(3))]));

describe('context', () => {
  const question = relevance('question', 0.8);
  const answer = { id: 'answer', of: [{ index: 0, steps: 1 }], match: match('answer') };

  test('adds the memories adjacent to a match, with a part of its relevance', () => {
    const next = { id: 'next', of: [{ index: 0, steps: 2 }], match: match('next') };
    const ranked = addContext(fused(question), [question], [answer, next], 1);
    expect(shares(ranked)).toEqual({ question: 0.8, answer: 0.32, next: 0.16 });
    expect(ranked.map(({ explanation }) => explanation.context)).toEqual([undefined, 1, 1]);
  });

  test('strengthens adjacent matches, and scales the best to 1', () => {
    const other = relevance('other', 0.6);
    const adjacent = [
      { id: 'other', of: [{ index: 0, steps: 1 }], match: undefined },
      { id: 'question', of: [{ index: 1, steps: 1 }], match: undefined },
    ];
    const alone = relevance('alone', 0.7);
    const ranked = addContext(fused(question, alone, other), [question, other], adjacent, 1);
    expect(shares(ranked)).toEqual({ question: 1, other: 0.885, alone: 0.673 });
    expect(ranked[0]!.explanation.context).toBeCloseTo(0.24 / 1.04);
  });

  test('is scaled by its weight', () => {
    expect(shares(addContext(fused(question), [question], [answer], 0.5))).toEqual({
      question: 0.8,
      answer: 0.16,
    });
  });

  test('leaves out a memory that is not visible', () => {
    const hidden = { ...answer, match: undefined };
    expect(shares(addContext(fused(question), [question], [hidden], 1))).toEqual({ question: 0.8 });
  });
});

describe('the check whether memories belong together', () => {
  const sample = (mean: number, pairs = 100) => ({ pairs, mean, variance: 0.01 });

  test.each([
    ['adjacent ones are clearly more similar', sample(0.16), sample(0.1), true],
    ['the difference may be chance', sample(0.13), sample(0.1), false],
    ['adjacent ones are less similar', sample(0.1), sample(0.2), false],
    ['there are too few adjacent pairs', sample(0.9, 39), sample(0.1), false],
    ['there are too few other pairs', sample(0.9), sample(0.1, 39), false],
  ])('%s', (_, near, far, expected) => {
    expect(isCohesive({ near, far })).toBe(expected);
  });
});
