import { describe, expect, test } from 'vitest';
import { type StageLoopOptions, startStageLoop } from '../../src/jobs/queue/stage-loop.ts';

/** An in-memory queue, with gates that hold its claims and runs until a test opens them. */
function queue(jobs: number[], options: Partial<StageLoopOptions<number>> = {}) {
  const state = {
    running: 0,
    most: 0,
    ran: [] as number[][],
    errors: [] as unknown[],
    hold: undefined as Promise<void> | undefined,
    holdClaim: undefined as Promise<void> | undefined,
  };
  const loop = () =>
    startStageLoop<number>({
      concurrency: 2,
      batchSize: 2,
      pollMs: 20,
      async claim(limit) {
        const taken = jobs.splice(0, limit);
        await state.holdClaim;
        return taken;
      },
      async run(batch) {
        state.running += 1;
        state.most = Math.max(state.most, state.running);
        await state.hold;
        state.ran.push(batch);
        state.running -= 1;
      },
      onError: (error) => state.errors.push(error),
      ...options,
    });
  return { state, loop };
}

describe('a stage loop', () => {
  test('runs everything due, with no more concurrent batches than allowed', async () => {
    const jobs = Array.from({ length: 11 }, (_, i) => i);
    const { state, loop } = queue(jobs);
    const running = loop();
    await expect.poll(() => state.ran.flat().length).toBe(11);
    expect(state.ran.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, i) => i));
    expect(state.most).toBeLessThanOrEqual(2);
    await running.stop(1_000);
  });

  test('finds later work at a wake-up, or otherwise at the next poll', async () => {
    const jobs: number[] = [];
    const { state, loop } = queue(jobs, { pollMs: 60_000 });
    const running = loop();
    await expect
      .poll(() => {
        jobs.push(1);
        running.wake();
        return state.ran.length;
      })
      .toBeGreaterThan(0);
    await running.stop(1_000);
    const polling = queue(jobs).loop();
    jobs.push(2);
    await expect.poll(() => jobs.length).toBe(0);
    await polling.stop(1_000);
  });

  test('claims the first job at once, and gathers those that arrive soon after into one batch', async () => {
    const jobs: number[] = [];
    const { state, loop } = queue(jobs, { batchSize: 10, pollMs: 60_000, gatherMs: 200 });
    const running = loop();
    await new Promise((resolve) => setTimeout(resolve, 250));
    for (const job of [1, 2, 3, 4]) {
      jobs.push(job);
      running.wake();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await expect.poll(() => state.ran).toEqual([[1], [2, 3, 4]]);
    await running.stop(1_000);
  });

  test('does not wait after a full batch', async () => {
    const jobs = Array.from({ length: 9 }, (_, i) => i);
    const { state, loop } = queue(jobs, { pollMs: 60_000, gatherMs: 60_000 });
    const running = loop();
    await expect.poll(() => state.ran.flat().length).toBe(9);
    await running.stop(1_000);
  });

  test('continues after a claim or a run that threw', async () => {
    const jobs = [1, 2, 3];
    let failures = 0;
    const { state, loop } = queue(jobs, {
      async claim(limit) {
        if (failures++ === 0) throw new Error('the database is away');
        return jobs.splice(0, limit);
      },
      async run(batch) {
        if (batch.includes(1)) throw new Error('this one fails');
        state.ran.push(batch);
      },
    });
    const running = loop();
    await expect.poll(() => state.ran.flat()).toEqual([3]);
    expect(state.errors.length).toBe(2);
    expect(running.tokens()).toEqual([]);
    await running.stop(1_000);
  });

  test('waits at shutdown for running work, and for claims in progress', async () => {
    const claim = Promise.withResolvers<void>();
    const { state, loop } = queue([1]);
    state.holdClaim = claim.promise;
    const running = loop();
    const stopped = running.stop(5_000);
    claim.resolve();
    await stopped;
    expect(state.ran).toEqual([[1]]);
    expect(running.tokens()).toEqual([]);
  });

  test('stops waiting after the grace time, and lists its unfinished work', async () => {
    const run = Promise.withResolvers<void>();
    const { state, loop } = queue([1]);
    state.hold = run.promise;
    const running = loop();
    await expect.poll(() => running.tokens().length).toBe(1);
    await running.stop(50);
    expect(running.tokens().length).toBe(1);
    run.resolve();
  });
});
