import { expect, test } from 'vitest';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { patient, put, startStore, temporaryDirectory } from './running-store.ts';

async function arguments31(): Promise<string[]> {
  return ['--port', '0', '--shards', '31', '--data-dir', await temporaryDirectory()];
}

test('listens on 127.0.0.1 by default, prints its address, and serves', async () => {
  const main = spawnMain(await arguments31());
  const url = await urlOf(main);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await put(url, 'hello')).toHaveProperty('newlyCreated.blobObject.size', 5);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s finishes pending requests and exits with 0', async (signal) => {
  const main = spawnMain(await arguments31());
  const url = await urlOf(main);
  const { promise: sendRest, resolve: release } = Promise.withResolvers<void>();
  async function* body() {
    yield 'the beginning ';
    main.child.kill(signal);
    await sendRest;
    yield 'and the end';
  }
  const answer = fetch(`${url}/v1/blobs`, { method: 'PUT', body: body(), duplex: 'half' } as never);
  await expect.poll(main.stderr, patient).toContain('stopping');
  release();
  expect((await answer).status).toBe(200);
  expect(await main.ended).toBe(0);
});

test('reports a port in use with the name of its variable', async () => {
  const { url } = await startStore();
  const env = { BLOBSTORE_PORT: new URL(url).port, BLOBSTORE_DATA_DIR: await temporaryDirectory() };
  const main = spawnMain([], env);
  expect(await main.ended).toBe(1);
  expect(main.stderr()).toMatch(/the port is taken\. Set BLOBSTORE_PORT/);
});

test('reports a directory in use', async () => {
  const dataDir = await temporaryDirectory();
  await startStore({ dataDir });
  const main = spawnMain(['--port', '0', '--shards', '31', '--data-dir', dataDir]);
  expect(await main.ended).toBe(1);
  expect(main.stderr()).toContain('is in use by another process');
});

test('stops when its stdin closes if it is supervised', async () => {
  const main = spawnMain(await arguments31(), { MEMRELAY_SUPERVISED: '1' });
  await urlOf(main);
  main.child.stdin?.end();
  expect(await main.ended).toBe(0);
});

test('ignores a closed stdin otherwise', async () => {
  const main = spawnMain(await arguments31());
  const url = await urlOf(main);
  main.child.stdin?.end();
  expect((await fetch(`${url}/status`)).status).toBe(200);
  main.child.kill('SIGTERM');
  expect(await main.ended).toBe(0);
  expect(main.stderr()).not.toContain('stdin closed');
});
