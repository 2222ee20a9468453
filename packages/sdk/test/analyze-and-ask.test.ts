import { describe, expect, it } from 'vitest';
import { errorAnswer, rejection, startWire, testClient } from './wire-double.ts';

const accepted = { job_ids: [], facts: [], fact_count: 0, status: 'pending', owner: '0x1' };
const done = {
  answer: 'Tea [1].',
  known: true,
  memories_used: 1,
  memories: [{ id: 'a', text: 't', distance: 0.1 }],
};
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const stream = (text: string) => ({ headers: { 'content-type': 'text/event-stream; charset=utf-8' }, text });

describe('analyze', () => {
  it('sends the time unchanged, a session to compare with, and one idempotency key for all attempts', async () => {
    await using wire = await startWire([
      errorAnswer(503, 'llm_unavailable'),
      { status: 202, json: accepted },
    ]);
    const client = testClient(wire.url, { namespace: 'mine' });
    expect(await client.analyze('Ana …', { occurredAt: '2026-03-02T18:30:00+01:00' })).toMatchObject({
      factCount: 0,
    });
    const [first, second] = wire.seen;
    expect(first!.json).toEqual({
      text: 'Ana …',
      namespace: 'mine',
      occurred_at: '2026-03-02T18:30:00+01:00',
    });
    expect(first!.headers['x-enc-session']).toBeTypeOf('string');
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    await client.analyze('Ana …', { occurredAt: new Date(0), namespace: 'yours', idempotencyKey: 'k' });
    expect(wire.seen[2]!.json).toMatchObject({ namespace: 'yours', occurred_at: '1970-01-01T00:00:00.000Z' });
    expect(wire.seen[2]!.headers['idempotency-key']).toBe('k');
  });
});

describe('ask', () => {
  it('sends the options of a recall, and returns camel case', async () => {
    await using wire = await startWire([{ json: done }]);
    const options = { limit: 3, minScore: 0.2, scoringWeights: { recencyHalfLifeDays: 7 } };
    expect(await testClient(wire.url).ask('what?', options)).toEqual({
      answer: 'Tea [1].',
      known: true,
      memoriesUsed: 1,
      memories: [{ id: 'a', text: 't', distance: 0.1 }],
    });
    expect(wire.seen[0]!.json).toEqual({
      question: 'what?',
      limit: 3,
      include_pending: true,
      min_score: 0.2,
      scoring_weights: { recency_half_life_days: 7 },
    });
  });

  const read = async (url: string) => {
    const events: unknown[] = [];
    const error = await (async () => {
      for await (const each of testClient(url).askStream('what?')) events.push(each);
    })().catch((caught: { code: string }) => caught.code);
    return { events, error };
  };

  it('requests a stream, and yields each event unchanged, the complete answer last', async () => {
    await using wire = await startWire([
      stream(
        `: comment\n\n${event('delta', { text: 'Te\n' })}${event('later kinds', {})}${event('done', done)}`,
      ),
    ]);
    expect(await read(wire.url)).toEqual({
      events: [
        { type: 'delta', text: 'Te\n' },
        expect.objectContaining({ type: 'done', answer: 'Tea [1].', memoriesUsed: 1 }),
      ],
      error: undefined,
    });
    expect(wire.seen[0]!.headers.accept).toBe('text/event-stream');
  });

  it('retries a stream until it starts, and never afterwards', async () => {
    await using wire = await startWire([
      errorAnswer(503, 'overloaded'),
      stream(event('delta', { text: 'a' })),
    ]);
    expect(await read(wire.url)).toEqual({ events: [{ type: 'delta', text: 'a' }], error: 'network_error' });
    expect(wire.seen.length).toBe(2);
  });

  it('reports an error within a stream by its code, and rejects a response without events', async () => {
    const inside = { error: 'llm_unavailable', message: 'No.', request_id: 'r' };
    await using failing = await startWire([stream(event('error', inside))]);
    expect(await read(failing.url)).toEqual({ events: [], error: 'llm_unavailable' });
    await using plain = await startWire([{ json: done }]);
    expect(await read(plain.url)).toEqual({ events: [], error: 'invalid_response' });
    await using refused = await startWire([errorAnswer(403, 'insufficient_scope')]);
    expect(await read(refused.url)).toEqual({ events: [], error: 'insufficient_scope' });
  });

  it('drops a stream for another account before reading any of it', async () => {
    const { headers, text } = stream(event('delta', { text: 'not yours' }));
    await using wire = await startWire([
      { headers: { ...headers, 'x-account-id': `0x${'9'.repeat(64)}` }, text },
    ]);
    expect(await read(wire.url)).toEqual({ events: [], error: 'account_mismatch' });
  });

  it("ends a stream with the caller's signal", async () => {
    await using wire = await startWire(['silence']);
    const gone = new AbortController();
    const reading = testClient(wire.url).askStream('what?', { signal: gone.signal }).next();
    await wire.requests(1);
    gone.abort(new Error('enough'));
    expect((await rejection(reading)).message).toBe('enough');
  });
});
