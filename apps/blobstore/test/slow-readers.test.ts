import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { blobIdOf, patient, putNew, startStore, temporaryDirectory } from './running-store.ts';

const mebibyte = 1024 * 1024;

/** A client that sends a request and reads nothing of the response. */
async function ask(url: string, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** Number of files of a data directory that this process has open. */
async function openFilesIn(dataDir: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(`${dataDir}/objects`)).length;
}

const headOf = async (url: string) => (await fetch(url, { method: 'HEAD' })).status;

test.each(['cut off when it takes nothing', 'gone'])(
  'releases everything of a reader that is %s',
  async (how) => {
    const dataDir = await temporaryDirectory();
    const limits = {
      aggregator: { concurrent: 1, buffered: 1 },
      stalledSendMs: how === 'gone' ? 600_000 : 200,
      maxBodyBytes: 14 * mebibyte,
    };
    const { url } = await startStore({ dataDir, limits });
    const { blobObject } = await putNew(url, randomBytes(14 * mebibyte));
    const { blobId } = blobObject;
    for (const path of [
      `/v1/blobs/${blobId}`,
      `/v1/blobs/${blobId}?skip_consistency_check=true`,
      `/v1/blobs/by-object-id/${blobObject.id}`,
      `/v1/blobs/${blobId}/byte-range?start=1&length=14000000`,
      `/v1alpha/blobs/${blobId}/stream`,
      `/v1alpha/blobs/concat?ids=${blobId},${blobId}`,
    ]) {
      const reader = await ask(url, path);
      if (how === 'gone') {
        expect(await openFilesIn(dataDir)).toBe(1);
        reader.destroy();
      }
      await expect.poll(() => openFilesIn(dataDir), patient).toBe(0);
      await expect.poll(() => headOf(`${url}/v1/blobs/${blobId}`), patient).toBe(200);
    }
  },
);

test('sends everything to a slow but steady reader', async () => {
  const { url } = await startStore({ limits: { stalledSendMs: 2000 } });
  const content = randomBytes(8 * mebibyte);
  const blobId = await blobIdOf(url, content);
  const sent = request(`${url}/v1/blobs/${blobId}`).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    await setTimeout(40);
  }
  expect(content.equals(Buffer.concat(chunks))).toBe(true);
});

test('stalled readers do not delay others while there is a free place', async () => {
  const { url } = await startStore({ limits: { aggregator: { concurrent: 4, buffered: 8 } } });
  const large = await blobIdOf(url, randomBytes(10 * mebibyte));
  const small = await blobIdOf(url, 'small');
  for (let reader = 0; reader < 3; reader += 1) await ask(url, `/v1/blobs/${large}`);
  for (let read = 0; read < 20; read += 1) {
    expect(await (await fetch(`${url}/v1/blobs/${small}`)).text()).toBe('small');
  }
});

test('does not close a connection that has read a blob while its next request takes long', async () => {
  const { url, admin } = await startStore({ limits: { stalledSendMs: 50 } });
  const blobId = await blobIdOf(url, 'first');
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const read = `GET /v1/blobs/${blobId} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  socket.write(read);
  await expect.poll(() => received, patient).toContain('first');
  admin.faults.add({ operation: 'read', fault: 'SLOW', delayMs: 500, count: 1 });
  received = '';
  socket.write(read);
  await expect.poll(() => received, patient).toContain('first');
});

/** Memory of a process in kilobytes, as reported by the kernel. */
async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]);
}

test('needs little memory for many concurrent reads of a large blob', async () => {
  const dataDir = await temporaryDirectory();
  const args = ['--port', '0', '--shards', '100', '--data-dir', dataDir, '--max-body-size', '65536'];
  const content = randomBytes(64 * mebibyte);
  // Computing a blob id keeps the whole blob in memory, so the reads get a separate process.
  const writer = spawnMain(args);
  const blobId = await blobIdOf(await urlOf(writer), content);
  writer.child.kill('SIGTERM');
  await writer.ended;

  const reader = spawnMain(args);
  const url = await urlOf(reader);
  const pid = reader.child.pid ?? 0;
  await (await fetch(`${url}/v1/blobs/${blobId}/byte-range?start=0&length=1000000`)).arrayBuffer();
  const before = await memoryOf(pid, 'VmRSS');
  const stalled = Array.from({ length: 8 }, () => ask(url, `/v1/blobs/${blobId}`));
  await Promise.all(stalled);
  const digest = createHash('sha256').update(content).digest('hex');
  const readAll = async () => {
    const hash = createHash('sha256');
    const response = await fetch(`${url}/v1/blobs/${blobId}`);
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) hash.update(chunk);
    return hash.digest('hex');
  };
  const rounds = 2;
  for (let round = 0; round < rounds; round += 1) {
    const digests = await Promise.all(Array.from({ length: 4 }, readAll));
    expect(new Set(digests)).toEqual(new Set([digest]));
  }
  // Ten times this amount is sent. The growth is uncollected garbage, which is limited.
  expect((await memoryOf(pid, 'VmHWM')) - before).toBeLessThan(128 * 1024);
});
