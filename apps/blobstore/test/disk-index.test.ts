import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { blobIdOf, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

/** A stopped store with one long-lived blob, and the path of its file. */
async function storeWithBlob(content: Uint8Array) {
  const dataDir = await temporaryDirectory();
  const store = await startStore({ dataDir });
  const blobId = await blobIdOf(store.url, content, '?epochs=50');
  await store.close();
  const objects = join(dataDir, 'objects');
  const name = (await readdir(objects, { recursive: true })).find((path) => path.includes(blobId))!;
  return { dataDir, blobId, path: join(objects, name) };
}

async function reading(dataDir: string, blobId: string) {
  const store = await startStore({ dataDir });
  return { store, answer: await fetch(`${store.url}/v1/blobs/${blobId}`) };
}

test.each([
  ['cut short', async (path: string) => truncate(path, 99_999)],
  ['emptied', async (path: string) => truncate(path, 0)],
  ['too long', async (path: string) => truncate(path, 100_001)],
  [
    'changed in one byte',
    async (path: string) => {
      const content = await readFile(path);
      content[50_000]! ^= 1;
      await writeFile(path, content);
    },
  ],
])('a file that was %s is an error when read, and storing the same content repairs it', async (_, damage) => {
  const content = randomBytes(100_000);
  const { dataDir, blobId, path } = await storeWithBlob(content);
  await damage(path);
  const { store, answer } = await reading(dataDir, blobId);
  expect(await refusal(answer)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
  await putNew(store.url, content);
  const repaired = await fetch(`${store.url}/v1/blobs/${blobId}`);
  expect(content.equals(Buffer.from(await repaired.arrayBuffer()))).toBe(true);
});

test.each([
  ['is gone', async (path: string) => rm(path)],
  ['is in the folder of another digest', async (path: string) => moveToOtherFolder(path)],
  [
    'is a directory',
    async (path: string) => {
      await rm(path);
      await mkdir(path);
    },
  ],
])('a live blob whose file %s is unavailable, not missing, and can be stored again', async (_, harm) => {
  const { dataDir, blobId, path } = await storeWithBlob(Buffer.from('to be harmed'));
  await harm(path);
  const { answer, store } = await reading(dataDir, blobId);
  expect(await refusal(answer)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
  await rm(path, { recursive: true, force: true });
  await putNew(store.url, 'to be harmed');
  expect(await (await fetch(`${store.url}/v1/blobs/${blobId}`)).text()).toBe('to be harmed');
});

async function moveToOtherFolder(path: string): Promise<void> {
  const folder = dirname(path);
  const other = folder.endsWith('00') ? '01' : '00';
  await rename(path, path.replace(`${folder.slice(-2)}/`, `${other}/`));
}

test('a second file with the id of a blob is ignored, and the first one is served', async () => {
  const { dataDir, blobId, path } = await storeWithBlob(Buffer.from('the one'));
  const forged = path.replace(/^(.*\/)\d+\./, '$19999.');
  await copyFile(path, forged);
  const { answer } = await reading(dataDir, blobId);
  // The file system determines which of the two is found first. The forged one is recognized by its length.
  if (answer.status === 200) expect(await answer.text()).toBe('the one');
  else expect(await refusal(answer)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
  expect(await readFile(forged, 'utf8')).toBe('the one');
});

test('rebuilds everything that can be recomputed', async () => {
  const content = randomBytes(700_000);
  const { dataDir, blobId } = await storeWithBlob(content);
  for (const name of ['blocks', 'incoming']) await rm(join(dataDir, name), { recursive: true, force: true });
  const { answer } = await reading(dataDir, blobId);
  expect(content.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
});

test('reports a lost or damaged identity, and touches no blob', async () => {
  const { dataDir, path } = await storeWithBlob(Buffer.from('of 31 shards'));
  const identity = join(dataDir, 'store.json');
  const text = await readFile(identity, 'utf8');
  await rm(identity);
  await expect(startStore({ dataDir })).rejects.toThrow(/store\.json is missing, although there are blobs/);
  for (const damaged of ['', '{"format":1}', 'null', text.slice(0, 10)]) {
    await writeFile(identity, damaged);
    await expect(startStore({ dataDir })).rejects.toThrow(/store\.json is damaged/);
  }
  await writeFile(identity, text);
  await startStore({ dataDir });
  expect(await readFile(path, 'utf8')).toBe('of 31 shards');
});
