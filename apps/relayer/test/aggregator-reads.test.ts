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

/** For what a busy machine does late */
const patience = { timeout: 20_000 };

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
    retryDelaysMs: [1, 1, 1],
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

  test('whoever restores has it checked, whatever is configured', async () => {
    const { reader, servers } = await aggregators([serve(right)], { skipConsistencyCheck: true });
    await reader.read(blobId, isRight, { alwaysChecked: true });
    expect(servers[0]!.asked).toEqual([`/v1/blobs/${blobId}`]);
  });

  test.each([
    ['does not know it', status(404)],
    ['fails', status(500)],
    ['sends it elsewhere', status(302)],
    ['serves other bytes', serve(Buffer.from('other bytes'))],
    ['serves nothing', serve(Buffer.alloc(0))],
    ['serves too much', serve(Buffer.alloc(1_001))],
    ['hangs up', (response: ServerResponse) => void response.destroy()],
    [
      'fails and never ends its answer',
      (response: ServerResponse) => void response.writeHead(500).write('.'),
    ],
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

  test('is missing only when every aggregator says so, and they are several', async () => {
    const missing = await aggregators([status(404), status(404)]);
    await expect(missing.reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'missing' });
    for (const others of [[status(503)], [serve(Buffer.from('other bytes'))], []]) {
      const { reader } = await aggregators([status(404), ...others]);
      await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  test('what is no blob id is asked of nobody', async () => {
    const { reader, servers } = await aggregators([serve(right)]);
    for (const id of ['', '../status', `${blobId}?x`, blobId.slice(1), `${blobId}/`])
      await expect(reader.read(id, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(servers[0]!.asked).toEqual([]);
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

describe('the others', () => {
  /** Notes when the reader leaves before it was answered. */
  function abandoned(behave: (response: ServerResponse) => void = never) {
    const state = { left: 0 };
    const behaviour = (response: ServerResponse): void => {
      response.once('close', () => {
        if (!response.writableFinished) state.left += 1;
      });
      behave(response);
    };
    return { state, behaviour };
  }

  test.each([
    ['has not answered yet', never],
    ['is in the middle of it', drip],
  ])('are cancelled when one has answered: one that %s', async (_how, behave) => {
    const slow = abandoned(behave);
    const { reader } = await aggregators([slow.behaviour, serve(right)], { raceAfterMs: 30 });
    await reader.read(blobId, isRight);
    await expect.poll(() => slow.state.left, patience).toBe(1);
  });

  test('that hang use up nothing: the primary is asked first for ever', async () => {
    // The second answers when the primary was asked as well
    let unmet = 0;
    const waiting: ServerResponse[] = [];
    const meet = (): void => {
      for (; unmet > 0 && waiting.length > 0; unmet -= 1) waiting.shift()!.end(right);
    };
    const slow = abandoned(() => {
      unmet += 1;
      meet();
    });
    const second = (response: ServerResponse): void => {
      waiting.push(response);
      meet();
    };
    const { reader } = await aggregators([slow.behaviour, second], { raceAfterMs: 0 });
    // More than there are connections
    for (let i = 0; i < 80; i++) expect(await reader.read(blobId, isRight)).toEqual(right);
    await expect.poll(() => slow.state.left, patience).toBe(80);
  });

  test('are cancelled when the time is over', async () => {
    const slow = abandoned();
    const { reader, servers } = await aggregators([slow.behaviour], { timeoutMs: 200 });
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => slow.state.left, patience).toBe(servers[0]!.asked.length);
  });
});

describe('a blob that is not there yet', () => {
  /** Answers in this order, and the last for ever. */
  const inTurn = (...behaviours: ((response: ServerResponse) => void)[]) => {
    let next = 0;
    return (response: ServerResponse) => behaviours[Math.min(next++, behaviours.length - 1)]!(response);
  };

  test('and was stored a moment ago is asked for again, of all', async () => {
    const { reader, servers } = await aggregators([
      inTurn(status(404), status(404), status(404), serve(right)),
      status(500),
    ]);
    expect(await reader.read(blobId, isRight, { fresh: true })).toEqual(right);
    expect(servers.map(({ asked }) => asked.length)).toEqual([4, 3]);
  });

  test('and never comes is given up', async () => {
    const { reader, servers } = await aggregators([status(404), status(404)]);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({ kind: 'missing' });
    expect(servers.map(({ asked }) => asked.length)).toEqual([4, 4]);
  });

  test('and is old is not: a recall does not wait for what is lost', async () => {
    const { reader, servers } = await aggregators([status(404), status(404)]);
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'missing' });
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  test.each([503, 429])('and is said to come back (%i) is asked for again, old as it is', async (code) => {
    const { reader } = await aggregators([inTurn(status(code), serve(right))]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
  });

  test.each([
    ['500', status(500)],
    ['other bytes', serve(Buffer.from('other bytes'))],
  ])('nothing is repeated after %s', async (_what, behave) => {
    const { reader, servers } = await aggregators([behave]);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(servers[0]!.asked.length).toBe(1);
  });

  test('is given up when the time is over, in the middle of a wait', async () => {
    const options = { timeoutMs: 500, retryDelaysMs: [600_000] };
    const { reader, servers } = await aggregators([status(404)], options);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(servers[0]!.asked.length).toBe(1);
  });
});

test('no more blobs are read at once than there may be, and a quarter of them for one account', async () => {
  const held: ServerResponse[] = [];
  let most = 0;
  const { reader } = await aggregators(
    [
      (response) => {
        held.push(response);
        most = Math.max(most, held.length);
      },
    ],
    { readsAtOnce: 4 },
  );
  const read = (accountId?: string) => reader.read(blobId, isRight, { accountId });
  const ofOne = Array.from({ length: 4 }, () => read('a'));
  const ofOthers = [read('b'), read('c'), read('d'), read('e'), read(), read()];
  for (const open of [4, 4, 4, 4, 3, 3, 2, 2, 2, 1]) {
    await expect.poll(() => held.length, patience).toBe(open);
    held.shift()!.end(right);
  }
  expect((await Promise.all([...ofOne, ...ofOthers])).length).toBe(10);
  expect(most).toBe(4);
});
