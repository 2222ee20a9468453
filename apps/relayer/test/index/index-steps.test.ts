import { sortSteps } from '@memrelay/text-index/base/sort-steps';
import type { Steps } from '@memrelay/text-index/base/steps';
import { distinctionSteps } from '@memrelay/text-index/distinctions';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { inTurns } from '../../src/base/concurrency/in-turns.ts';
import { entrySteps } from '../../src/index/keywords/blind-index.ts';
import { resemblanceSteps } from '../../src/index/keywords/resembles.ts';

/** A long text must not keep the event loop: all work on its words is in steps of one word each, or of 4,096 numbers. */

function countSteps<T>(steps: Steps<T>): { steps: number; result: T } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return { steps: count, result: step.value };
  }
}

const words = 90_000;
const unusual = (word: (i: number) => string): string =>
  Array.from({ length: words }, (_, i) => word(i)).join(' ');
const key = Buffer.alloc(32, 1);

describe('the work on a text of 700 KB', () => {
  test.each([
    ['unusual words', unusual((i) => `q${i.toString(36)}x`)],
    ['numbers', unusual((i) => String(i))],
    ['stop words', unusual(() => 'the')],
    ['one run of parts', unusual((i) => `q${i.toString(36)}`).replaceAll(' ', '-')],
    ['a script without spaces', '你好世界'.repeat(words)],
  ])('has a step for each word, each token and each word of its distinctions: %s', (_, text) => {
    const { steps, result } = countSteps(entrySteps(key, text));
    // The words of a script without spaces are one to the distinctions
    const known = countSteps(distinctionSteps(text)).steps;
    expect(steps).toBeGreaterThanOrEqual(words + result.tokens.length + known);
  });

  test('has a step for each word that is compared', () => {
    const text = unusual((i) => `q${i.toString(36)}x`);
    const query = Array.from({ length: 60 }, (_, i) => 'ж'.repeat(i + 2));
    const { steps, result } = countSteps(resemblanceSteps(query.join(' '), text));
    expect(result).toBe(false);
    expect(steps).toBeGreaterThanOrEqual(words + query.length);
  });

  test('sorts its numbers in steps, in the order of Array.sort', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => String((i * 7_919) % 65_536));
    const { steps, result } = countSteps(sortSteps(many));
    expect(result).toEqual([...many].sort());
    expect(steps).toBeGreaterThan(100_000 / 4_096);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (some) => {
        expect(countSteps(sortSteps(some)).result).toEqual([...some].sort());
      }),
    );
  });
});

test('lets the event loop run between steps that take more than 5 ms in total', async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let [turns, done] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  function* work(): Steps<string> {
    for (let i = 0; i < 10; i++) {
      seen.push(turns);
      nowMs += 3;
      yield;
    }
    return 'result';
  }
  try {
    expect(await inTurns(work())).toBe('result');
  } finally {
    done = true;
    clock.mockRestore();
  }
  expect(new Set(seen).size).toBe(5);
});
