import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type AggregatorOptions,
  type AggregatorReader,
  createAggregatorReader,
} from '../../src/blobs/aggregator-reads.ts';
import { startServer, type TestServer } from '../support/http-server.ts';

const blobId = 'b'.repeat(43);
const right = Buffer.from('the stored bytes');
const isRight = (bytes: Buffer): boolean => bytes.equals(right);

/** For late responses on a busy machine */
const patience = { timeout: 20_000 };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

/** One server per behaviour, in the order in which they are queried. */
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
/** Headers, and then a byte from time to time without end */
const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write('.'), 20);
  response.once('close', () => clearInterval(timer));
};

describe('reading a blob', () => {
  test('uses only the primary when it responds', async () => {
    const { reader, servers } = await aggregators([serve(right), serve(right)]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
    expect(servers.map(({ asked }) => asked)).toEqual([[`/v1/blobs/${blobId}`], []]);
  });

  test('uses a separate path for a quilt patch, and skips the consistency check if reads are trusted', async () => {
    const { reader, servers } = await aggregators([serve(right)], { skipConsistencyCheck: true });
    const patch = 'p'.repeat(50);
    await reader.read(patch, isRight);
    expect(servers[0]!.asked).toEqual([`/v1/blobs/by-quilt-patch-id/${patch}?skip_consistency_check=true`]);
  });

  test('always checks consistency for a restore', async () => {
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
  ])('asks the next aggregator at once when the first %s', async (_how, first) => {
    const { reader, servers } = await aggregators([first, serve(right)]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
    expect(servers[1]!.asked.length).toBe(1);
  });

  test.each([
    ['a lost connection', (response: ServerResponse) => void response.destroy()],
    ['503', status(503)],
  ])('is repeated once after %s, also when only the start or an index is read', async (_what, fails) => {
    const patches = JSON.stringify([{ identifier: 'a', patch_id: 'p'.repeat(50) }]);
    for (const [body, read] of [
      [right, (reader: AggregatorReader) => reader.read(blobId, isRight)],
      [right, (reader: AggregatorReader) => reader.readStart(blobId, right.length)],
      [Buffer.from(patches), (reader: AggregatorReader) => reader.readPatches(blobId)],
    ] as const) {
      let asked = 0;
      const once = await aggregators([
        (response) => (asked++ === 0 ? fails(response) : serve(body)(response)),
      ]);
      await expect(read(once.reader)).resolves.toBeDefined();
      expect(asked).toBe(2);
      const always = await aggregators([fails]);
      await expect(read(always.reader)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(always.servers[0]!.asked).toHaveLength(2);
    }
  });

  test('races a slow aggregator after the delay, and asks all at once with a delay of 0', async () => {
    const slow = await aggregators([never, serve(right)], { raceAfterMs: 30 });
    expect(await slow.reader.read(blobId, isRight)).toEqual(right);
    const all = await aggregators([never, never, serve(right)], { raceAfterMs: 0 });
    expect(await all.reader.read(blobId, isRight)).toEqual(right);
    expect(all.servers.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  test('is missing only if at least two aggregators were asked and all returned 404', async () => {
    const missing = await aggregators([status(404), status(404)]);
    await expect(missing.reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'missing' });
    for (const others of [[status(503)], [serve(Buffer.from('other bytes'))], []]) {
      const { reader } = await aggregators([status(404), ...others]);
      await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  test('does not request an invalid blob id', async () => {
    const { reader, servers } = await aggregators([serve(right)]);
    const lengths = [1, 42, 44, 46, 49, 51, 86, 100].map((length) => 'b'.repeat(length));
    const signs = ['.', '/', '+', '=', '%', '?', '#', '\\', ' ', '\n', 'é'].flatMap((sign) =>
      [42, 49].flatMap((length) => [`${'b'.repeat(length)}${sign}`, `${sign}${'b'.repeat(length)}`]),
    );
    const others = [
      '',
      '../status',
      `${blobId}?x`,
      `${blobId}/`,
      `${blobId}\n`,
      `../../status${'b'.repeat(31)}`,
    ];
    for (const id of [...lengths, ...signs, ...others]) {
      for (const read of [
        () => reader.read(id, isRight),
        () => reader.readStart(id, 10),
        () => reader.readPatches(id),
      ])
        await expect(read(), JSON.stringify(id)).rejects.toMatchObject({ kind: 'unavailable' });
    }
    expect(servers[0]!.asked).toEqual([]);
  });

  test.each([
    ['never answers', never],
    ['sends a byte now and then', drip],
  ])('ends in time when the only aggregator %s', async (_how, behave) => {
    const { reader } = await aggregators([behave], { maxBytes: 1_000_000, timeoutMs: 200 });
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test("reports the primary's health", async () => {
    const well = await aggregators([status(200)]);
    expect(await well.reader.health()).toEqual({ ok: true });
    const ill = await aggregators([status(500), status(200)]);
    expect(await ill.reader.health()).toEqual({ ok: false, detail: 'status 500' });
  });
});

describe('the other aggregators', () => {
  /** Counts requests that the reader abandoned before the response. */
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
  ])('are cancelled after a successful read: one that %s', async (_how, behave) => {
    const slow = abandoned(behave);
    const { reader } = await aggregators([slow.behaviour, serve(right)], { raceAfterMs: 30 });
    await reader.read(blobId, isRight);
    await expect.poll(() => slow.state.left, patience).toBe(1);
  });

  test('do not exhaust connections when they hang, so the primary is still asked first', async () => {
    // The second responds once the primary was asked as well
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
    // More than the number of connections
    for (let i = 0; i < 80; i++) expect(await reader.read(blobId, isRight)).toEqual(right);
    await expect.poll(() => slow.state.left, patience).toBe(80);
  });

  test('are cancelled when the time is up', async () => {
    const slow = abandoned();
    const { reader, servers } = await aggregators([slow.behaviour], { timeoutMs: 200 });
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => slow.state.left, patience).toBe(servers[0]!.asked.length);
  });
});

describe('a missing blob', () => {
  /** Responds in this order, and repeats the last one forever. */
  const inTurn = (...behaviours: ((response: ServerResponse) => void)[]) => {
    let next = 0;
    return (response: ServerResponse) => behaviours[Math.min(next++, behaviours.length - 1)]!(response);
  };

  test('is requested again from all aggregators if it was stored a moment ago', async () => {
    const { reader, servers } = await aggregators([
      inTurn(status(404), status(404), status(404), serve(right)),
      status(500),
    ]);
    expect(await reader.read(blobId, isRight, { fresh: true })).toEqual(right);
    expect(servers.map(({ asked }) => asked.length)).toEqual([4, 3]);
  });

  test('is given up after the last retry', async () => {
    const { reader, servers } = await aggregators([status(404), status(404)]);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({ kind: 'missing' });
    expect(servers.map(({ asked }) => asked.length)).toEqual([4, 4]);
  });

  test('is not retried if it is old, so a recall does not wait for lost blobs', async () => {
    const { reader, servers } = await aggregators([status(404), status(404)]);
    await expect(reader.read(blobId, isRight)).rejects.toMatchObject({ kind: 'missing' });
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  test.each([503, 429])('is retried even if old when an aggregator responds %i', async (code) => {
    const { reader } = await aggregators([inTurn(status(code), serve(right))]);
    expect(await reader.read(blobId, isRight)).toEqual(right);
  });

  test.each([
    ['500', status(500)],
    ['other bytes', serve(Buffer.from('other bytes'))],
  ])('is not retried after %s', async (_what, behave) => {
    const { reader, servers } = await aggregators([behave]);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(servers[0]!.asked.length).toBe(1);
  });

  test('is given up when the time is up, even between two attempts', async () => {
    const options = { timeoutMs: 500, retryDelaysMs: [600_000] };
    const { reader, servers } = await aggregators([status(404)], options);
    await expect(reader.read(blobId, isRight, { fresh: true })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(servers[0]!.asked.length).toBe(1);
  });
});

test('limits concurrent blob reads, and each account to a quarter of them', async () => {
  const openResponses: ServerResponse[] = [];
  let most = 0;
  const { reader } = await aggregators(
    [
      (response) => {
        openResponses.push(response);
        most = Math.max(most, openResponses.length);
      },
    ],
    { readsAtOnce: 4 },
  );
  const read = (accountId?: string) => reader.read(blobId, isRight, { accountId });
  const ofOne = Array.from({ length: 4 }, () => read('a'));
  const ofOthers = [read('b'), read('c'), read('d'), read('e'), read(), read()];
  for (const open of [4, 4, 4, 4, 3, 3, 2, 2, 2, 1]) {
    await expect.poll(() => openResponses.length, patience).toBe(open);
    openResponses.shift()!.end(right);
  }
  expect((await Promise.all([...ofOne, ...ofOthers])).length).toBe(10);
  expect(most).toBe(4);
});
