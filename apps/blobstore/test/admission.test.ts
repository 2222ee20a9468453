import { type ClientRequest, request } from 'node:http';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createAdmission } from '../src/http/admission.ts';
import { addErrorReplies } from '../src/http/error-replies.ts';
import { blobIdOf, patient, refusal, startStore } from './running-store.ts';

/** Starts an upload whose body is not complete yet. */
function hold(url: string): { upload: ClientRequest; status: Promise<number | undefined> } {
  const upload = request(`${url}/v1/blobs`, { method: 'PUT', headers: { expect: '100-continue' } });
  const status = new Promise<number | undefined>((resolve, reject) => {
    upload.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    upload.on('error', reject);
  });
  upload.flushHeaders();
  onTestFinished(() => {
    upload.destroy();
  });
  return { upload, status };
}

function begun({ upload }: { upload: ClientRequest }): Promise<void> {
  return new Promise((resolve) => upload.on('continue', resolve));
}

test('rejects a store beyond the limit immediately, while reads continue', async () => {
  const { url } = await startStore({ limits: { publisher: { concurrent: 2, buffered: 2 } } });
  const blobId = await blobIdOf(url, 'there before');
  const stalled = [hold(url), hold(url)];
  await Promise.all(stalled.map(begun));

  const refused = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'one more' });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refusal(refused)).toEqual({ status: 429, reason: 'TOO_MANY_REQUESTS' });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
  expect((await fetch(`${url}/status`)).status).toBe(200);

  for (const { upload } of stalled) upload.end('now the rest');
  expect(await Promise.all(stalled.map(({ status }) => status))).toEqual([200, 200]);
  expect((await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'one more' })).status).toBe(200);
});

test('queues a store within the buffer', async () => {
  const { url } = await startStore({ limits: { publisher: { concurrent: 1, buffered: 2 } } });
  const first = hold(url);
  await begun(first);
  const second = hold(url);
  second.upload.end('second');
  await begun(second);
  expect((await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'third' })).status).toBe(429);
  first.upload.end('first');
  expect(await first.status).toBe(200);
  expect(await second.status).toBe(200);
});

test('frees the queue place of a client that disconnects', async () => {
  const { url } = await startStore({ limits: { publisher: { concurrent: 1, buffered: 2 } } });
  const first = hold(url);
  await begun(first);
  const second = hold(url);
  second.status.catch(() => undefined);
  await begun(second);
  second.upload.destroy();
  first.upload.end('first');
  expect(await first.status).toBe(200);
  await expect
    .poll(async () => (await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'x' })).status, patient)
    .toBe(200);
});

test('lets another client queue after one disconnects, and does no work for it', async () => {
  const gate = Promise.withResolvers<void>();
  const worked: string[] = [];
  let arrived = 0;
  let left = 0;
  const app = fastify();
  addErrorReplies(app);
  onTestFinished(async () => {
    gate.resolve();
    await app.close();
  });
  app.addHook('onRequest', async (_request, reply) => {
    arrived += 1;
    reply.raw.once('close', () => {
      left += 1;
    });
  });
  const admission = createAdmission('aggregator', { concurrent: 1, buffered: 2 });
  app.get<{ Params: { name: string } }>('/:name', { onRequest: admission }, async ({ params }) => {
    worked.push(params.name);
    await gate.promise;
    return 'done';
  });
  const url = await app.listen({ port: 0 });
  async function ask(name: string) {
    const number = arrived + 1;
    const sent = request(`${url}/${name}`).end();
    const status = new Promise((resolve) => {
      sent.on('response', (response) => resolve(response.resume().statusCode));
      sent.on('error', () => resolve('left'));
    });
    await expect.poll(() => arrived, patient).toBe(number);
    return { sent, status };
  }

  const first = await ask('first');
  for (const count of [1, 2, 3]) {
    const waiting = await ask('impatient');
    waiting.sent.destroy();
    await expect.poll(() => left, patient).toBe(count);
  }
  const last = await ask('last');
  expect(await (await ask('one too many')).status).toBe(429);
  gate.resolve();
  expect([await first.status, await last.status]).toEqual([200, 200]);
  expect(worked).toEqual(['first', 'last']);
});

test('limits reads separately', async () => {
  const { url } = await startStore({ limits: { aggregator: { concurrent: 1, buffered: 1 } } });
  const blobId = await blobIdOf(url, Buffer.alloc(10 * 1024 * 1024));
  const unread = request(`${url}/v1/blobs/${blobId}`).end();
  onTestFinished(() => {
    unread.destroy();
  });
  await new Promise((resolve) => unread.on('response', resolve));
  const refused = await fetch(`${url}/v1/blobs/${blobId}`);
  expect(await refusal(refused)).toEqual({ status: 429, reason: 'TOO_MANY_REQUESTS' });
  unread.destroy();
  const head = () => fetch(`${url}/v1/blobs/${blobId}`, { method: 'HEAD' });
  await expect.poll(async () => (await head()).status, patient).toBe(200);
});
