import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLoopLag, type LoopLag } from '../../src/base/concurrency/loop-lag.ts';

let nowMs: number;
let lag: LoopLag;

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 5_000;
  lag = createLoopLag(() => nowMs);
});
afterEach(() => {
  vi.useRealTimers();
});

/** The loop takes this long until it runs its timers */
function turn(ms: number): void {
  lag.measure();
  nowMs += ms;
  vi.runOnlyPendingTimers();
}

test('is the lateness of two timers in a row', () => {
  expect(lag.measure()).toBe(0);
  turn(160);
  expect(lag.measure()).toBe(0);
  turn(130);
  expect(lag.measure()).toBe(120);
  turn(10);
  expect(lag.measure()).toBe(0);
});

test('is forgotten after a second, and not measured while no one asks', () => {
  turn(160);
  turn(160);
  expect(vi.getTimerCount()).toBe(0);
  expect(lag.measure()).toBe(150);
  expect(vi.getTimerCount()).toBe(1);
  nowMs += 1_000;
  expect(lag.measure()).toBe(0);
});
