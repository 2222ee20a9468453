import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksByJsonSize, chunksOf } from '../src/chunks.ts';
import { errorAnswer, rejection, type SeenRequest, startWire, testClient } from './wire-double.ts';

const texts = (request: SeenRequest) => (request.json.items as { text: string }[]).map(({ text }) => text);
const accept = (request: SeenRequest) => ({
  status: 202,
  json: { job_ids: texts(request).map((text) => `job-${text.slice(0, 9)}`), total: 0, status: 'running' },
});
const items = Array.from({ length: 45 }, (_, index) => ({ text: `t${index}` }));

describe('rememberBulk', () => {
  it('splits more than 20 items and keeps their order', async () => {
    await using wire = await startWire(accept);
    const { jobIds } = await testClient(wire.url).rememberBulk(items);
    expect(jobIds).toEqual(items.map(({ text }) => `job-${text}`));
    expect(wire.seen.map((request) => texts(request).length)).toEqual([20, 20, 5]);
    expect(new Set(wire.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
  });

  it('splits by size, too, so that no request exceeds the body limit', async () => {
    await using wire = await startWire(accept);
    const large = Array.from({ length: 5 }, (_, index) => ({ text: String(index).repeat(900_000) }));
    const { jobIds } = await testClient(wire.url).rememberBulk(large);
    expect(jobIds).toEqual(large.map(({ text }) => `job-${text.slice(0, 9)}`));
    for (const { body } of wire.seen) expect(body.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(wire.seen.map((request) => texts(request).length)).toEqual([2, 2, 1]);
  });

  it('gives each item its namespace, or that of the client', async () => {
    await using wire = await startWire(accept);
    const client = testClient(wire.url, { namespace: 'mine' });
    await client.rememberBulk([{ text: 'a' }, { text: 'b', namespace: 'other' }]);
    expect(wire.seen[0]!.json).toEqual({
      items: [
        { text: 'a', namespace: 'mine' },
        { text: 'b', namespace: 'other' },
      ],
    });
  });

  it('reports after a failure which items were accepted, and retries with the same keys', async () => {
    let broken = true;
    await using wire = await startWire((request) =>
      broken && texts(request).includes('t20') ? errorAnswer(500, 'internal_error') : accept(request),
    );
    const client = testClient(wire.url);
    const error = await rejection(client.rememberBulk(items));
    expect(error).toMatchObject({
      code: 'internal_error',
      details: { acceptedJobIds: items.slice(0, 20).map(({ text }) => `job-${text}`) },
    });
    const firstKeys = wire.seen.map(({ headers }) => headers['idempotency-key']);
    broken = false;
    const { idempotencyKey } = error.details as { idempotencyKey: string };
    expect((await client.rememberBulk(items, { idempotencyKey })).jobIds).toHaveLength(45);
    const secondKeys = wire.seen.slice(2).map(({ headers }) => headers['idempotency-key']);
    expect(secondKeys.slice(0, 2)).toEqual(firstKeys);
  });

  it('rejects a key that would become too long before sending anything', async () => {
    await using wire = await startWire(accept);
    const idempotencyKey = 'k'.repeat(128);
    const client = testClient(wire.url);
    expect(await rejection(client.rememberBulk(items, { idempotencyKey }))).toMatchObject({
      code: 'invalid_argument',
    });
    expect(wire.seen).toHaveLength(0);
    await client.rememberBulk(items.slice(0, 20), { idempotencyKey });
  });

  it('rejects a response with another number of ids', async () => {
    await using wire = await startWire([{ status: 202, json: { job_ids: ['one'] } }]);
    expect(await rejection(testClient(wire.url).rememberBulk(items.slice(0, 2)))).toMatchObject({
      code: 'invalid_response',
    });
  });

  it('returns one outcome per item when it waits', async () => {
    await using wire = await startWire((request) =>
      request.path.endsWith('/status')
        ? {
            json: {
              results: (request.json.job_ids as string[]).map((id) => ({ job_id: id, status: 'done' })),
            },
          }
        : accept(request),
    );
    const outcomes = await testClient(wire.url).rememberBulkAndWait(items);
    expect(outcomes.map(({ jobId }) => jobId)).toEqual(items.map(({ text }) => `job-${text}`));
  });
});

it('keeps the order of items, within both limits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 60 })),
      fc.integer({ min: 1, max: 9 }),
      (list, n) => {
        expect(chunksOf(list, n).flat()).toEqual(list);
        const bySize = chunksByJsonSize(list, n, 80);
        expect(bySize.flat()).toEqual(list);
        for (const chunk of bySize) {
          expect(chunk.length).toBeLessThanOrEqual(n);
          if (chunk.length > 1) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(81);
        }
      },
    ),
  );
});
