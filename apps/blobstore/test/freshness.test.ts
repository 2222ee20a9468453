import { expect, test } from 'vitest';
import { createFreshness } from '../src/registry/chain/freshness.ts';

test('answers a query with a read that starts after it', async () => {
  const onChain = new Set<string>();
  let seen = new Set<string>();
  const gates: (() => void)[] = [];
  async function events(): Promise<void> {
    const snapshot = new Set(onChain);
    await new Promise<void>((resolve) => gates.push(resolve));
    seen = snapshot;
  }
  const everything = async () => 1;
  const freshness = createFreshness(1, { events, everything });
  const early = freshness.ask(() => [...seen]);
  await expect.poll(() => gates.length).toBe(1);
  onChain.add('just certified');
  const late = freshness.ask(() => [...seen]);
  gates[0]?.();
  expect(await early).toEqual([]);
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  expect(await late).toEqual(['just certified']);
});

test('fails only queries about unknown blobs when a read fails', async () => {
  const fail = () => Promise.reject(new Error('no chain'));
  const freshness = createFreshness(1, { events: fail, everything: fail });
  expect(await freshness.ask((epoch) => [epoch])).toEqual([1]);
  await expect(freshness.ask(() => [])).rejects.toThrow('no chain');
  await expect(freshness.now()).rejects.toThrow('no chain');
});

test('confirms nothing after a minute without the chain', async () => {
  let timeMs = 0;
  let silent = true;
  const read = async () => {
    if (silent) throw new Error('no chain');
    return 1;
  };
  const events = async () => void (await read());
  const freshness = createFreshness(1, { events, everything: read }, () => timeMs);
  timeMs = 60_000;
  expect(await freshness.ask(() => ['live'])).toEqual(['live']);
  timeMs = 60_001;
  await expect(freshness.ask(() => ['live'])).rejects.toThrow('no chain');
  silent = false;
  expect(await freshness.ask(() => ['live'])).toEqual(['live']);
});

test('an object deleted after the last read is not returned, and a final answer needs no read', async () => {
  const live = new Set(['deletable', 'permanent']);
  let seen = [...live];
  let reads = 0;
  const events = async () => {
    reads += 1;
    seen = [...live];
  };
  const freshness = createFreshness(1, { events, everything: async () => 1 });
  expect(await freshness.ask(() => seen)).toEqual(['deletable', 'permanent']);
  live.delete('deletable');
  expect(await freshness.ask(() => seen)).toEqual(['permanent']);
  live.delete('permanent');
  expect(await freshness.ask(() => seen)).toEqual([]);
  expect(reads).toBe(3);
  await freshness.ask(
    () => ['permanent'],
    (found) => found.length > 0,
  );
  expect(reads).toBe(3);
});

test('delays reads by one shared check per second while the chain has problems', async () => {
  let timeMs = 0;
  let reads = 0;
  const events = async () => {
    reads += 1;
    throw new Error('no chain');
  };
  const freshness = createFreshness(1, { events, everything: events as () => Promise<never> }, () => timeMs);
  for (let i = 0; i < 5; i++) expect(await freshness.ask(() => ['live'])).toEqual(['live']);
  expect(reads).toBe(1);
  timeMs = 1001;
  expect(await freshness.ask(() => ['live'])).toEqual(['live']);
  expect(reads).toBe(2);
});
