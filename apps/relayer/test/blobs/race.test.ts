import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { race } from '../../src/blobs/race.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Attempts controlled by the test, and which of them were started and aborted. */
function contest(count: number, afterMs: number) {
  const begun: number[] = [];
  const aborted: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<string>());
  const attempts = ends.map(({ promise }, i) => (signal: AbortSignal) => {
    begun.push(i);
    signal.addEventListener('abort', () => aborted.push(i));
    return promise;
  });
  const deadline = new AbortController();
  const outcome = race(attempts, { afterMs, signal: deadline.signal });
  outcome.catch(() => undefined);
  return { begun, aborted, ends, deadline, outcome };
}
/** Runs everything that follows from settled promises. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('a race', () => {
  test('starts one attempt after the other, each after the delay', async () => {
    for (const afterMs of [2, 150, 60_000]) {
      const { begun, outcome, ends } = contest(3, afterMs);
      expect(begun).toEqual([0]);
      await vi.advanceTimersByTimeAsync(afterMs - 1);
      expect(begun).toEqual([0]);
      await vi.advanceTimersByTimeAsync(1);
      expect(begun).toEqual([0, 1]);
      await vi.advanceTimersByTimeAsync(afterMs - 1);
      expect(begun).toEqual([0, 1]);
      await vi.advanceTimersByTimeAsync(1);
      expect(begun).toEqual([0, 1, 2]);
      ends[1]!.resolve('second');
      expect(await outcome).toBe('second');
    }
  });

  test('starts all at once with a delay of 0', () => {
    expect(contest(4, 0).begun).toEqual([0, 1, 2, 3]);
  });

  test('starts the next at once when one fails, even while another hangs', async () => {
    const { begun, ends } = contest(4, 150);
    await vi.advanceTimersByTimeAsync(150);
    ends[1]!.reject(new Error('busy'));
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    // The delay restarts with each attempt
    await vi.advanceTimersByTimeAsync(149);
    expect(begun).toEqual([0, 1, 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('aborts the others when one has succeeded, and starts no more', async () => {
    const { begun, aborted, ends, outcome } = contest(4, 150);
    await vi.advanceTimersByTimeAsync(300);
    ends[1]!.resolve('won');
    await outcome;
    expect(aborted).toEqual([0, 1, 2]);
    await vi.advanceTimersByTimeAsync(10_000);
    ends[0]!.reject(new Error('aborted'));
    await settle();
    expect(begun).toEqual([0, 1, 2]);
  });

  test('fails with all errors when all have failed, and not before', async () => {
    const { ends, outcome } = contest(3, 0);
    for (const i of [2, 0]) ends[i]!.reject(new Error(`${i}`));
    await settle();
    ends[1]!.reject(new Error('1'));
    const lost = await outcome.catch((error: AggregateError) => error);
    expect((lost as AggregateError).errors.map((error: Error) => error.message)).toEqual(['2', '0', '1']);
  });

  test('ends with the signal, which aborts all', async () => {
    const { aborted, begun, deadline, outcome } = contest(3, 150);
    deadline.abort(new Error('time is over'));
    await expect(outcome).rejects.toThrow('time is over');
    expect(aborted).toEqual([0]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual([0]);
  });

  test('does not start after the deadline', async () => {
    const begun: number[] = [];
    const signal = AbortSignal.abort(new Error('too late'));
    const late = race([async () => begun.push(1)], { afterMs: 0, signal });
    await expect(late).rejects.toThrow('too late');
    expect(begun).toEqual([]);
  });
});
