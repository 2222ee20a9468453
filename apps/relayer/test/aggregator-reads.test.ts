import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type AggregatorOptions,
  type AggregatorReader,
  createAggregatorReader,
} from '../src/blobs/aggregator-reads.ts';
import { startServer, type TestServer } from './support/http-server.ts';

const blobId = 'b'.repeat(43);
const right = Buffer.from('the stored bytes');
const isRight = (bytes: Buffer): boolean => bytes.equals(right);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

/** One server a behaviour, in the order in which they are asked. */
async function aggregators(
  behaviours: ((response: ServerResponse) => void)[],
  options: Partial<AggregatorOptions> = {},
): Promise<{ servers: TestServer[]; reader: AggregatorReader }> {
  const servers = await Promise.all(
    behaviours.map((behave) => startServer((_request, response) => behave(response))),
  );
  const reader = createAggregatorReader({
    urls: servers.map((server) => server.url),
    raceAfterMs: 60_000,
    skipConsistencyCheck: false,
    maxBytes: 1_000,
    log: pino({ enabled: false }),
    ...options,
  });
  open.push(reader, ...servers);
  return { servers, reader };
}

const serve = (bytes: Buffer) => (response: ServerResponse) => void response.end(bytes);
const status = (code: number) => (response: ServerResponse) =>
  void response.writeHead(code).end('upstream text');
const never = () => undefined;
/** Headers and then a byte now and then, without an end */
const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write('.'), 20);
  response.once('close', () => clearInterval(timer));
};

describe('reading a blob', () => {
  test('takes it from the primary, and asks nobody else', async () => {
    const { reader, servers } = await aggregators([serve(right), serve(right)]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
    expect(servers.map(({ asked }) => asked)).toEqual([[`/v1/blobs/${blobId}`], []]);
  });

  test('a quilt patch has a path of its own, and trusted reads may skip the consistency check', async () => {
    const { reader, servers } = await aggregators([serve(right)], { skipConsistencyCheck: true });
    const patch = 'p'.repeat(50);
    await reader.read(patch, isRight);
    expect(servers[0]!.asked).toEqual([`/v1/blobs/by-quilt-patch-id/${patch}?skip_consistency_check=true`]);
  });

  test.each([
    ['does not know it', status(404)],
    ['fails', status(500)],
    ['sends it elsewhere', status(302)],
    ['serves other bytes', serve(Buffer.from('other bytes'))],
    ['serves nothing', serve(Buffer.alloc(0))],
    ['serves too much', serve(Buffer.alloc(1_001))],
    ['hangs up', (response: ServerResponse) => void response.destroy()],
  ])('the next aggregator is asked at once when the first %s', async (_how, first) => {
    const { reader, servers } = await aggregators([first, serve(right)]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
    expect(servers[1]!.asked.length).toBe(1);
  });

  test('a slow one is raced after its time; with 0 all are asked at once', async () => {
    const slow = await aggregators([never, serve(right)], { raceAfterMs: 30 });
    expect(await slow.reader.read(blobId, isRight)).toEqual(right);
    const all = await aggregators([never, never, serve(right)], { raceAfterMs: 0 });
    expect(await all.reader.read(blobId, isRight)).toEqual(right);
    expect(all.servers.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  test('is missing only when every aggregator says so', async () => {
    const missing = await aggregators([status(404), status(404)]);
    await expect(missing.reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'missing' });
    for (const other of [status(503), serve(Buffer.from('other bytes'))]) {
      const { reader } = await aggregators([status(404), other]);
      await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  test.each([
    ['never answers', never],
    ['sends a byte now and then', drip],
  ])('ends in time when the only aggregator %s', async (_how, behave) => {
    const { reader } = await aggregators([behave], { maxBytes: 1_000_000, timeoutMs: 200 });
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('health tells of the primary', async () => {
    const well = await aggregators([status(200)]);
    expect(await well.reader.health()).toEqual({ ok: true });
    const ill = await aggregators([status(500), status(200)]);
    expect(await ill.reader.health()).toEqual({ ok: false, detail: 'status 500' });
  });
});
