import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { expect, test } from 'vitest';
import { blobIdOf, put, putNew, startStore, temporaryDirectory } from './running-store.ts';

test('finds blobs, objects and epochs after a restart', async () => {
  const dataDir = await temporaryDirectory();
  const first = await startStore({ dataDir });
  const kept = await putNew(first.url, 'kept', '?permanent=true&epochs=5');
  const own = await putNew(first.url, 'own', '?epochs=3');
  await put(first.url, 'own', '?epochs=4&reuse_resources=true');
  await first.close();

  const { url } = await startStore({ dataDir });
  expect(await (await fetch(`${url}/v1/blobs/${kept.blobObject.blobId}`)).text()).toBe('kept');
  expect(await put(url, 'kept', '?permanent=true')).toHaveProperty('alreadyCertified.endEpoch', 6);
  expect(await put(url, 'own', '?reuse_resources=true')).toEqual({
    alreadyCertified: { blobId: own.blobObject.blobId, object: own.blobObject.id, endEpoch: 5 },
  });
});

test('removes partially received files at startup and ignores foreign files', async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, 'incoming'), { recursive: true });
  await writeFile(join(dataDir, 'incoming', 'torn'), 'half a bl');
  await mkdir(join(dataDir, 'objects', '00'), { recursive: true });
  await writeFile(join(dataDir, 'objects', '00', 'notes.txt'), 'an operator wrote this');
  await startStore({ dataDir });
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
  expect(await readdir(join(dataDir, 'objects', '00'))).toEqual(['notes.txt']);
});

test('opens a journal with a truncated end, but not one with damage in the middle', async () => {
  const dataDir = await temporaryDirectory();
  const journal = join(dataDir, 'registry.jsonl');
  const first = await startStore({ dataDir });
  const blobId = await blobIdOf(first.url, 'safe');
  await blobIdOf(first.url, 'safe too');
  await first.close();
  await appendFile(journal, '1234abcd {"object":{"obj');

  const second = await startStore({ dataDir });
  expect((await fetch(`${second.url}/v1/blobs/${blobId}`)).status).toBe(200);
  await second.close();

  const text = await readFile(journal, 'utf8');
  await writeFile(journal, text.replace('"size":4', '"size":5'));
  await expect(startStore({ dataDir })).rejects.toThrow(/registry\.jsonl is damaged in line 3/);
});

test('rejects a second store on the same directory, until the first one stops', async () => {
  const dataDir = await temporaryDirectory();
  const first = await startStore({ dataDir });
  await expect(startStore({ dataDir })).rejects.toThrow(DirectoryLockedError);
  await first.close();
  await startStore({ dataDir });
});

test('keeps the number of shards of a directory', async () => {
  const dataDir = await temporaryDirectory();
  await (await startStore({ dataDir, nShards: 31 })).close();
  await expect(startStore({ dataDir, nShards: 10 })).rejects.toThrow(/holds blobs for 31 shards/);
  await startStore({ dataDir, nShards: 31 });
});
