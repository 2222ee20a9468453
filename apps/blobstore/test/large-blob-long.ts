/**
 * The long form of `slow-readers.test.ts`: one blob of 1 GiB (or the number of MiB in the argument) is stored and
 * read by every kind of read, while `/proc` reports the store's peak memory. Fails if a byte is wrong or memory use
 * grows with the blob. `node apps/blobstore/test/large-blob-long.ts [MiB]`, on Linux.
 */
import { createHash, type Hash, randomFillSync, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startMain, urlOf } from './main-child.ts';
import type { StoreAnswer } from './running-store.ts';

const mebibyte = 1024 * 1024;
const sizeMiB = Number(process.argv[2] ?? 1024);
/** Allowed peak memory in addition to that of an idle store */
const allowedMiB = 512;
const seed = randomFillSync(Buffer.alloc(mebibyte));

/** One mebibyte of the content; each differs from all others. */
function chunkAt(index: number): Buffer {
  const chunk = Buffer.from(seed);
  chunk.writeUInt32LE(index);
  return chunk;
}

function* content(): Generator<Buffer> {
  for (let index = 0; index < sizeMiB; index += 1) yield chunkAt(index);
}

async function hashOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash: Hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

async function read(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, init);
  if (!response.ok || response.body === null) throw new Error(`${url} answers ${response.status}`);
  return hashOf(response.body as unknown as AsyncIterable<Uint8Array>);
}

function expectSame(found: string, expected: string): void {
  if (found !== expected) throw new Error('wrong bytes');
}

const dataDir = await mkdtemp(join(tmpdir(), 'blobstore-large-'));
const args = ['--port', '0', '--data-dir', dataDir, '--max-body-size', String(sizeMiB * 1024)];
const steps: { step: string; seconds: number; grownMiB: number }[] = [];

/** Runs steps against a separate process. */
async function inProcess(
  work: (url: string, note: (step: string, run: () => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const main = startMain(args, { LOG_LEVEL: 'warn' });
  const peakMiB = async () => {
    const status = await readFile(`/proc/${main.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  try {
    const url = await urlOf(main);
    const before = await peakMiB();
    await work(url, async (step, run) => {
      const startedAtMs = performance.now();
      await run();
      const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
      steps.push({ step, seconds, grownMiB: Math.round((await peakMiB()) - before) });
      process.stderr.write(`${JSON.stringify(steps.at(-1))}\n`);
    });
  } finally {
    main.child.kill('SIGTERM');
    await main.ended;
  }
}

try {
  const digest = await hashOf(content());
  let blobId = '';
  await inProcess(async (url, note) => {
    await note('store', async () => {
      const body = Readable.toWeb(Readable.from(content())) as ReadableStream;
      const init = { method: 'PUT', body, duplex: 'half' } as const;
      const answer = (await (await fetch(`${url}/v1/blobs`, init)).json()) as StoreAnswer;
      blobId = answer.newlyCreated?.blobObject.blobId ?? '';
    });
  });
  await inProcess(async (url, note) => {
    const target = `${url}/v1/blobs/${blobId}`;
    await note('one read', async () => expectSame(await read(target), digest));
    await note('8 reads at once', async () => {
      const found = await Promise.all(Array.from({ length: 8 }, () => read(target)));
      for (const each of found) expectSame(each, digest);
    });
    await note('500 ranges', async () => {
      for (let round = 0; round < 500; round += 1) {
        const index = randomInt(sizeMiB);
        const range = `bytes=${index * mebibyte}-${(index + 1) * mebibyte - 1}`;
        expectSame(await read(target, { headers: { range } }), await hashOf([chunkAt(index)]));
      }
    });
    await note('200 stalled readers, and one that reads', async () => {
      const { hostname, port } = new URL(url);
      const sockets = Array.from({ length: 200 }, () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write(`GET /v1/blobs/${blobId} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
        return socket;
      });
      await Promise.all(sockets.map((socket) => once(socket, 'readable')));
      expectSame(await read(target), digest);
      for (const socket of sockets) socket.destroy();
    });
    await note('strict read', async () =>
      expectSame(await read(`${target}?strict_consistency_check=true`), digest),
    );
  });
  const at = new Date().toISOString();
  const result = { about: `one blob of ${sizeMiB} MiB, in and out`, at, steps };
  const name = `../../../bench/results/${at.slice(0, 10)}-blobstore-large.json`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = steps.every(({ grownMiB }) => grownMiB <= allowedMiB) ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
