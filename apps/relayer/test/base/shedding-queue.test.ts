import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import {
  burstMs,
  burstWaitMs,
  createSheddingQueue,
  longestLagMs,
  type SheddingQueue,
  standingWaitMs,
} from '../../src/base/concurrency/shedding-queue.ts';

let nowMs: number;
let lagMs: number;
let queue: SheddingQueue;
let begun: string[];
let ends: (() => void)[];
const overloaded = expect.objectContaining({ code: 'overloaded', status: 503, retryAfter: 1 });

beforeEach(() => {
  nowMs = 0;
  begun = [];
  ends = [];
  lagMs = 0;
  queue = createSheddingQueue({ slots: 2, now: () => nowMs, lag: { measure: () => lagMs } });
});

/** Work that goes on until `endFirst` */
function add(name: string, accountId = 'a', publicKey = `key of ${accountId}`): Promise<unknown> {
  const outcome = queue.run({ accountId, publicKey }, () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  return outcome.then(
    () => 'done',
    (error: unknown) => error,
  );
}

async function endFirst(): Promise<void> {
  await nextTurn();
  ends.shift()!();
  await nextTurn();
}

test('begins work at once while there are slots, and the rest in order', async () => {
  for (const name of ['1', '2', '3', '4']) void add(name);
  await nextTurn();
  expect(begun).toEqual(['1', '2']);
  await endFirst();
  expect(begun).toEqual(['1', '2', '3']);
  expect(queue.isOverdue('key of a')).toBe(false);
});

test('serves a burst, and refuses what waited longer than that without beginning it', async () => {
  for (const name of ['1', '2', '3']) void add(name);
  const late = add('4');
  nowMs = burstWaitMs;
  await endFirst();
  expect(begun).toEqual(['1', '2', '3']);
  nowMs += 1;
  await endFirst();
  expect(await late).toEqual(overloaded);
  expect(begun).toEqual(['1', '2', '3']);
});

test('lets work wait only shortly once there has been a queue for a while', async () => {
  for (const name of ['1', '2', '3']) void add(name);
  nowMs = burstMs + 1 - standingWaitMs;
  void add('4');
  const late = add('5');
  await endFirst();
  nowMs = burstMs + 1;
  expect(queue.isOverdue('key of a')).toBe(false);
  await endFirst();
  nowMs += 1;
  expect(queue.isOverdue('key of a')).toBe(true);
  await endFirst();
  expect(await late).toEqual(overloaded);
  expect(begun).toEqual(['1', '2', '3', '4']);
});

test('gives accounts turns, so that the queue of one does not make others wait', async () => {
  for (const name of ['1', '2', '3', '4', '5']) void add(name);
  void add('other', 'b');
  await endFirst();
  await endFirst();
  expect(begun).toEqual(['1', '2', '3', 'other']);
  nowMs = burstWaitMs + 1;
  expect([queue.isOverdue('key of a'), queue.isOverdue('key of b')]).toEqual([true, false]);
});

test('is not overdue any more once what waited was refused', async () => {
  for (const name of ['1', '2']) void add(name);
  const refused = add('3');
  nowMs = burstWaitMs + 1;
  expect(queue.isOverdue('key of a')).toBe(true);
  await endFirst();
  expect(await refused).toEqual(overloaded);
  expect(queue.isOverdue('key of a')).toBe(false);
  void add('4');
  await nextTurn();
  expect(begun).toEqual(['1', '2', '4']);
});

test('is overdue for all keys while the event loop is too late', () => {
  lagMs = longestLagMs;
  expect(queue.isOverdue('any key')).toBe(false);
  lagMs = longestLagMs + 1;
  expect(queue.isOverdue('any key')).toBe(true);
});

test('refuses what waits when it is closed', async () => {
  for (const name of ['1', '2']) void add(name);
  const waiting = add('3');
  queue.close();
  expect(await waiting).toEqual(overloaded);
});
