import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { expect, it } from 'vitest';
import { recallInTime } from '../src/recall-in-time.ts';

const never = () => new Promise<never>(() => undefined);

it('returns the hits of a relayer that answers', async () => {
  const memory = createMemoryDouble(['Tea without milk.']);
  const hits = await recallInTime(memory, 'tea?', { limit: 3, timeoutMs: 60_000, namespace: 'ana' });
  expect(hits.map(({ text }) => text)).toEqual(['Tea without milk.']);
  expect(memory.calls[0]).toMatchObject({ text: 'tea?', options: { limit: 3, namespace: 'ana' } });
});

it('gives up on a client that never answers, and reports it', async () => {
  const memory = createMemoryDouble();
  memory.before('recall', never);
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  expect(await recallInTime(memory, 'tea?', { limit: 3, timeoutMs: 20, onError })).toEqual([]);
  expect(errors).toMatchObject([{ name: 'TimeoutError' }]);
});

it('a failure finds nothing and is reported; the abort of the caller is not', async () => {
  const memory = createMemoryDouble();
  memory.before('recall', () => Promise.reject(new Error('no relayer')));
  const errors: unknown[] = [];
  const options = { limit: 3, timeoutMs: 60_000, onError: (error: unknown) => void errors.push(error) };
  expect(await recallInTime(memory, 'tea?', options)).toEqual([]);
  expect(errors).toEqual([new Error('no relayer')]);
  const aborted = { ...options, signal: AbortSignal.abort() };
  expect(await recallInTime(memory, 'tea?', aborted)).toEqual([]);
  expect(errors).toHaveLength(1);
});

it('cuts a long query to what the relayer accepts', async () => {
  const memory = createMemoryDouble();
  await recallInTime(memory, '語'.repeat(100_000), { limit: 3, timeoutMs: 60_000 });
  expect(new TextEncoder().encode(memory.calls[0]!.text).length).toBeLessThan(65_536);
});
