import { describe, expect, test, vi } from 'vitest';
import { type Claim, createFairTurns, type FairTurns } from '../../src/base/concurrency/fair-turns.ts';

const overloaded = expect.objectContaining({ code: 'overloaded', status: 503, retryAfter: 2 });

/** Enters the queue and records who is admitted, in order. */
function queue(turns: FairTurns) {
  const order: string[] = [];
  const leaves = new Map<string, () => void>();
  const enter = (name: string, claim: Partial<Claim> = {}): Promise<string> =>
    turns.enter({ accountId: name.charAt(0), units: 1, ...claim }).then(
      (leave) => {
        order.push(name);
        leaves.set(name, leave);
        return 'in';
      },
      (error: { code: string }) => error.code ?? String(error),
    );
  const leave = async (name: string): Promise<void> => {
    leaves.get(name)!();
    await settled();
  };
  return { order, enter, leave };
}
const settled = () => new Promise(setImmediate);

describe('fair turns', () => {
  test('limit one account to a quarter, and serve others immediately', async () => {
    const turns = createFairTurns({ total: 8 });
    const { order, enter, leave } = queue(turns);
    for (let i = 0; i < 24; i++) void enter(`a${i}`);
    void enter('b0');
    void enter('c0');
    await settled();
    expect(order).toEqual(['a0', 'a1', 'b0', 'c0']);
    expect(turns.state).toEqual({ inUse: 4, waiting: 22 });
    await leave('b0');
    await leave('a0');
    expect(order.at(-1)).toBe('a2');
    expect(turns.state).toEqual({ inUse: 3, waiting: 21 });
  });

  test('rotate among the waiting accounts, oldest request of each first', async () => {
    const turns = createFairTurns({ total: 4 });
    const { order, enter, leave } = queue(turns);
    for (const name of ['w', 'x', 'y', 'z']) void enter(name);
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) void enter(name);
    await settled();
    for (const name of ['w', 'x', 'y', 'a0', 'b0', 'c0', 'a1']) await leave(name);
    expect(order.slice(4)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
  });

  test("admit a request above its account's share, or above the total, alone", async () => {
    const turns = createFairTurns({ total: 8 });
    const { order, enter, leave } = queue(turns);
    void enter('a0', { units: 5 });
    void enter('a1');
    void enter('b0', { units: 100 });
    void enter('c0');
    await settled();
    expect(order).toEqual(['a0']);
    await leave('a0');
    // b0 has waited longer than c0, which would fit, but must not be overtaken forever
    expect(order).toEqual(['a0', 'a1']);
    await leave('a1');
    expect(order).toEqual(['a0', 'a1', 'b0']);
    await leave('b0');
    expect(order).toEqual(['a0', 'a1', 'b0', 'c0']);
    await leave('c0');
    expect(turns.state).toEqual({ inUse: 0, waiting: 0 });
  });

  test('reject requests that wait too long, or exceed the queue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const turns = createFairTurns({ total: 4, waitMs: 1_000, maxHeld: 8 });
      const { enter } = queue(turns);
      await enter('a0');
      const waiting = [enter('a1'), enter('a2')];
      await expect(turns.enter({ accountId: 'a', units: 1 })).rejects.toEqual(overloaded);
      vi.advanceTimersByTime(1_000);
      expect(await Promise.all(waiting)).toEqual(['overloaded', 'overloaded']);
      expect(turns.state).toEqual({ inUse: 1, waiting: 0 });
    } finally {
      vi.useRealTimers();
    }
  });

  test('make room in a full queue by dropping a request of the account with the most', async () => {
    const turns = createFairTurns({ total: 4, maxHeld: 8 });
    const { enter } = queue(turns);
    for (const name of ['a', 'b', 'c', 'd']) await enter(name);
    const first = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'].map((name) => enter(name));
    const newcomer = enter('e1');
    const another = enter('f1');
    turns.close();
    await Promise.all([newcomer, another, ...first]);
    const again = createFairTurns({ total: 4, maxHeld: 8 });
    const later = queue(again);
    for (const name of ['a', 'b', 'c', 'd']) await later.enter(name);
    for (const name of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1']) void later.enter(name);
    const d2 = later.enter('d2');
    const e1 = later.enter('e1');
    await later.leave('b');
    await later.leave('a');
    await later.leave('c');
    await later.leave('d');
    await later.leave('b1');
    expect(later.order).toContain('e1');
    expect(await e1).toBe('in');
    void d2;
  });

  test('remove a client that leaves the queue, and admit the next one', async () => {
    const turns = createFairTurns({ total: 4 });
    const { order, enter } = queue(turns);
    await enter('a0', { units: 3 });
    const gone = new AbortController();
    const left = enter('b0', { units: 4, signal: gone.signal });
    void enter('c0');
    await settled();
    expect(order).toEqual(['a0']);
    gone.abort(Object.assign(new Error(), { code: 'request_timeout' }));
    expect(await left).toBe('request_timeout');
    await settled();
    expect(order).toEqual(['a0', 'c0']);
    const already = enter('d0', { signal: AbortSignal.abort({ code: 'request_timeout' }) });
    expect(await already).toBe('request_timeout');
    expect(turns.state).toEqual({ inUse: 4, waiting: 0 });
  });

  test('release units once, even after work that failed', async () => {
    const turns = createFairTurns({ total: 4 });
    const leave = await turns.enter({ accountId: 'a', units: 1 });
    leave();
    leave();
    await expect(
      turns.run({ accountId: 'a', units: 1 }, () => Promise.reject(new Error('failed'))),
    ).rejects.toThrow('failed');
    expect(turns.state).toEqual({ inUse: 0, waiting: 0 });
  });
});
