import { expect, test } from 'vitest';
import { createFreshness } from '../src/registry/chain/freshness.ts';

test('a question is answered by a read that begins after it', async () => {
  const onChain = new Set<string>();
  let seen = new Set<string>();
  const gates: (() => void)[] = [];
  const freshness = createFreshness(1, async () => {
    const snapshot = new Set(onChain);
    await new Promise<void>((resolve) => gates.push(resolve));
    seen = snapshot;
    return 1;
  });
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

test('a failed read fails the question for something unknown alone', async () => {
  const freshness = createFreshness(1, async () => {
    throw new Error('no chain');
  });
  expect(await freshness.ask((epoch) => [epoch])).toEqual([1]);
  await expect(freshness.ask(() => [])).rejects.toThrow('no chain');
  await expect(freshness.now()).rejects.toThrow('no chain');
});

test('a chain that is silent for longer than a minute vouches for nothing any more', async () => {
  let timeMs = 0;
  let silent = true;
  const read = async () => {
    if (silent) throw new Error('no chain');
    return 1;
  };
  const freshness = createFreshness(1, read, () => timeMs);
  timeMs = 60_000;
  expect(await freshness.ask(() => ['live'])).toEqual(['live']);
  timeMs = 60_001;
  await expect(freshness.ask(() => ['live'])).rejects.toThrow('no chain');
  silent = false;
  expect(await freshness.ask(() => ['live'])).toEqual(['live']);
});
