import { expect, it } from 'vitest';
import { createBackgroundWriter } from '../src/background-writer.ts';

it('writes one after another, and flush waits for all of them', async () => {
  const order: string[] = [];
  const writer = createBackgroundWriter();
  const gate = Promise.withResolvers<void>();
  writer.add(async () => {
    await gate.promise;
    order.push('first');
  });
  writer.add(async () => order.push('second'));
  expect(order).toEqual([]);
  const flushed = writer.flush();
  gate.resolve();
  expect(await flushed).toEqual({ written: 2, failed: 0 });
  expect(order).toEqual(['first', 'second']);
});

it('a failed write is reported and does not hold up the next one', async () => {
  const reported: unknown[] = [];
  const writer = createBackgroundWriter((error, during) => reported.push([(error as Error).message, during]));
  writer.add(() => Promise.reject(new Error('no relayer')));
  writer.add(async () => undefined);
  expect(await writer.flush()).toEqual({ written: 1, failed: 1, lastError: new Error('no relayer') });
  expect(reported).toEqual([['no relayer', 'remember']]);
  expect(await writer.flush()).toEqual({ written: 0, failed: 0 });
});

it('a callback that throws breaks nothing', async () => {
  const writer = createBackgroundWriter(() => {
    throw new Error('in the callback');
  });
  writer.add(() => Promise.reject(new Error('no relayer')));
  expect((await writer.flush()).failed).toBe(1);
});

it('drops and reports writes beyond 1,000 waiting ones instead of filling the memory', async () => {
  const gate = Promise.withResolvers<void>();
  let dropped = 0;
  const writer = createBackgroundWriter(() => dropped++);
  for (let i = 0; i < 1_003; i++) writer.add(() => gate.promise);
  expect(dropped).toBe(3);
  gate.resolve();
  expect(await writer.flush()).toMatchObject({ written: 1_000, failed: 3 });
});
