import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { MemRelayError, NetworkError } from '@memrelay/sdk';
import { expect, it } from 'vitest';
import { memoryToolsOf } from '../src/memory-tools.ts';
import { circuitOf, createRecallCircuit, recallUnlessPaused } from '../src/recall-circuit.ts';
import { recallInTime } from '../src/recall-in-time.ts';

const down = () => Promise.reject(new NetworkError('network_error', 'no relayer'));

/** A client whose time passes only when the test says so. `random` 1: the longest pause. */
function start() {
  let nowMs = 1_000;
  const memory = createMemoryDouble(['Tea without milk.']);
  const circuit = createRecallCircuit({ now: () => nowMs, random: () => 1 });
  const reports: unknown[] = [];
  const onError = (error: unknown): void => void reports.push(error);
  return {
    memory,
    circuit,
    reports,
    pass: (ms: number) => {
      nowMs += ms;
    },
    recall: (signal?: AbortSignal) =>
      recallInTime(memory, 'tea?', { limit: 3, timeoutMs: 60_000, circuit, onError, signal }),
    /** Calls that reached the client */
    attempts: () => memory.calls.filter(({ method }) => method === 'recall').length,
  };
}

it('skips recalls after three failures, for a pause that doubles up to five minutes', async () => {
  const { memory, recall, pass, attempts } = start();
  memory.before('recall', down);
  for (let i = 0; i < 10; i++) expect(await recall()).toEqual([]);
  expect(attempts()).toBe(3);
  for (const [index, pauseMs] of [5, 10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000).entries()) {
    pass(pauseMs - 1);
    await recall();
    expect(attempts()).toBe(3 + index);
    pass(1);
    await recall();
    expect(attempts()).toBe(4 + index);
  }
});

it('reports an outage once, and the next one again', async () => {
  const { memory, recall, pass, reports } = start();
  memory.before('recall', down);
  for (let i = 0; i < 5; i++) await recall();
  pass(5_000);
  await recall();
  const names = ['NetworkError', 'NetworkError', 'RecallPausedError'];
  expect(reports.map((error) => (error as Error).name)).toEqual(names);
  expect(reports[2]).toMatchObject({ pauseMs: 5_000, cause: { code: 'network_error' } });

  memory.before('recall', () => Promise.resolve());
  pass(10_000);
  expect(await recall()).toHaveLength(1);
  memory.before('recall', down);
  for (let i = 0; i < 5; i++) await recall();
  expect(reports.map((error) => (error as Error).name)).toEqual([...names, ...names]);
});

it('attempts one recall after a pause, and skips others until it has ended', async () => {
  const { memory, recall, pass, attempts } = start();
  memory.before('recall', down);
  for (let i = 0; i < 3; i++) await recall();
  pass(5_000);
  const gate = Promise.withResolvers<void>();
  memory.before('recall', () => gate.promise);
  const probe = recall();
  expect(await recall()).toEqual([]);
  expect(attempts()).toBe(4);
  gate.resolve();
  expect(await probe).toHaveLength(1);
  expect(await recall()).toHaveLength(1);
});

it('calls that end together begin one pause', async () => {
  const { memory, recall, pass, attempts, reports } = start();
  memory.before('recall', down);
  await Promise.all(Array.from({ length: 20 }, () => recall()));
  expect(reports).toHaveLength(3);
  pass(5_000);
  await recall();
  expect(attempts()).toBe(21);
});

it('does not pause because of aborts, or of requests that the relayer rejects', async () => {
  const { memory, recall, attempts, reports } = start();
  memory.before('recall', down);
  for (let i = 0; i < 5; i++) await recall(AbortSignal.abort());
  expect(reports).toEqual([]);
  memory.before('recall', () => Promise.reject(new MemRelayError('insufficient_scope', 'not here')));
  for (let i = 0; i < 5; i++) await recall();
  expect([attempts(), reports.length]).toEqual([10, 5]);
});

it('an aborted attempt leaves the pause to the next one', async () => {
  const { memory, recall, pass } = start();
  memory.before('recall', down);
  for (let i = 0; i < 3; i++) await recall();
  pass(5_000);
  await recall(AbortSignal.abort());
  memory.before('recall', () => Promise.resolve());
  expect(await recall()).toHaveLength(1);
});

it('is shared by everything that recalls with a client: a tool says at once that it is unreachable', async () => {
  const memory = createMemoryDouble();
  memory.before('recall', down);
  const options = { limit: 3, timeoutMs: 60_000 };
  for (let i = 0; i < 3; i++) await recallInTime(memory, 'tea?', options);
  const [tool] = memoryToolsOf(memory);
  expect(await tool!.run({ question: 'tea?' })).toMatch(/^The memory is unreachable.*recall_paused/);
  await expect(recallUnlessPaused(memory, 'tea?', {})).rejects.toMatchObject({ code: 'recall_paused' });
  expect(memory.calls).toHaveLength(3);
  expect(circuitOf(memory)).toBe(circuitOf(memory));
  expect(circuitOf(createMemoryDouble())).not.toBe(circuitOf(memory));
});
