import { createHash, type Hash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startMain, urlOf } from './main-child.ts';

const mebibyte = 1024 * 1024;

/** Peak memory (megabytes) and duration (seconds) of a store's process while it stores and serves a blob. */
export interface LargeBlobResult {
  mebibytes: number;
  /** Memory of the idle process */
  atRestMb: number;
  /** After a blob of 64 MiB, when the encoder's buffers have their full size */
  warmMb: number;
  putMb: number;
  putSeconds: number;
  getMb: number;
  getSeconds: number;
  /** Whether the content read equals the content stored */
  same: boolean;
}

const warmMebibytes = 64;

/** Content of N mebibytes, each different from the others, hashed as it is read. */
function* contentOf(mebibytes: number, hash: Hash): Generator<Buffer> {
  const block = randomBytes(mebibyte);
  for (let i = 0; i < mebibytes; i += 1) {
    const next = Buffer.from(block);
    next.writeUInt32LE(i, 0);
    hash.update(next);
    yield next;
  }
}

/** The highest resident memory since the last call (Linux), in megabytes. */
async function takePeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}

/** Stores random content as a stream. Returns its blob id and its digest. */
async function store(url: string, mebibytes: number): Promise<{ blobId: string; digest: string }> {
  const hash = createHash('sha256');
  const put = request(`${url}/v1/blobs?epochs=5`, { method: 'PUT' });
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  put.on('response', resolve);
  await pipeline(Readable.from(contentOf(mebibytes, hash), { objectMode: false }), put);
  const answer = Buffer.concat(await (await promise).toArray()).toString();
  const { newlyCreated } = JSON.parse(answer) as { newlyCreated: { blobObject: { blobId: string } } };
  return { blobId: newlyCreated.blobObject.blobId, digest: hash.digest('hex') };
}

async function readDigest(url: string, blobId: string): Promise<string> {
  const hash = createHash('sha256');
  const { body } = await fetch(`${url}/v1/blobs/${blobId}`);
  for await (const chunk of body ?? []) hash.update(chunk);
  return hash.digest('hex');
}

function secondsSince(startedAtMs: number): number {
  return Number(((performance.now() - startedAtMs) / 1000).toFixed(1));
}

/** Starts a store, stores a large blob in it and reads it back, both as streams. */
export async function runLargeBlob(
  dataDir: string,
  mebibytes: number,
  more: { args?: string[]; env?: Record<string, string> } = {},
): Promise<LargeBlobResult> {
  const args = ['--port', '0', '--data-dir', dataDir, '--max-body-size', String(mebibytes * 1024)];
  const main = startMain([...args, ...(more.args ?? [])], more.env);
  try {
    const url = await urlOf(main);
    const pid = main.child.pid ?? 0;
    const atRestMb = await takePeak(pid);
    await readDigest(url, (await store(url, warmMebibytes)).blobId);
    const warmMb = await takePeak(pid);
    const putAtMs = performance.now();
    const { blobId, digest } = await store(url, mebibytes);
    const putSeconds = secondsSince(putAtMs);
    const putMb = await takePeak(pid);
    const getAtMs = performance.now();
    const same = (await readDigest(url, blobId)) === digest;
    const getSeconds = secondsSince(getAtMs);
    const getMb = await takePeak(pid);
    return { mebibytes, atRestMb, warmMb, putMb, putSeconds, getMb, getSeconds, same };
  } finally {
    main.child.kill('SIGKILL');
    await main.ended;
  }
}
