import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { parseBlocklist } from '../src/aggregator/blocklist.ts';
import { blobIdOf, patient, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

/** All requests that read a blob or a part of it. */
function readsOf(url: string, blobId: string, objectId: string): [string, RequestInit?][] {
  return [
    [`${url}/v1/blobs/${blobId}`],
    [`${url}/v1/blobs/${blobId}`, { headers: { range: 'bytes=0-0' } }],
    [`${url}/v1/blobs/${blobId}?skip_consistency_check=true`],
    [`${url}/v1/blobs/by-object-id/${objectId}`],
    [`${url}/v1/blobs/${blobId}/byte-range?start=0&length=1`],
    [`${url}/v1alpha/blobs/${blobId}/stream`],
    [`${url}/v1alpha/blobs/concat?ids=${blobId}`],
    [`${url}/v1alpha/blobs/concat?ids=${objectId}`],
    [
      `${url}/v1alpha/blobs/concat`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: [blobId] }),
      },
    ],
  ];
}

test('a blob above the size limit cannot be read by any route; one at the limit can', async () => {
  const { url } = await startStore({ limits: { maxBlobBytes: 100 } });
  const { blobObject: over } = await putNew(url, randomBytes(101));
  const { blobObject: at } = await putNew(url, randomBytes(100));
  for (const read of readsOf(url, over.blobId, over.id)) {
    expect(await refusal(await fetch(...read))).toEqual({ status: 403, reason: 'BLOB_TOO_LARGE' });
  }
  for (const read of readsOf(url, at.blobId, at.id)) expect((await fetch(...read)).ok).toBe(true);
});

test('a blocked blob is neither read nor stored, whether it exists or not', async () => {
  const directory = await temporaryDirectory();
  const blocklistFile = join(directory, 'blocked.yaml');
  await writeFile(blocklistFile, '[]');
  const { url } = await startStore({ blocklistFile });
  const { blobObject } = await putNew(url, 'to be blocked');
  const { blobId } = await putNew(url, 'free').then((answer) => answer.blobObject);
  await writeFile(blocklistFile, `# by order\n- ${blobObject.blobId}\n- ${'A'.repeat(43)}\n`);
  const statusOf = async () => (await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status;
  await expect.poll(statusOf, patient).toBe(451);

  for (const read of readsOf(url, blobObject.blobId, blobObject.id)) {
    expect(await refusal(await fetch(...read))).toEqual({ status: 451, reason: 'FORBIDDEN_BLOB' });
  }
  expect((await fetch(`${url}/v1/blobs/${'A'.repeat(43)}`)).status).toBe(451);
  const stored = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'to be blocked' });
  expect(await refusal(stored)).toEqual({ status: 451, reason: 'FORBIDDEN_BLOB' });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
});

test('a blocklist can be replaced; the last valid one stays in force if it breaks or disappears', async () => {
  const directory = await temporaryDirectory();
  const blocklistFile = join(directory, 'blocked.yaml');
  const [first, second] = ['B', 'C'].map((letter) => `${letter.repeat(42)}A`) as [string, string];
  await writeFile(blocklistFile, `- ${first}\n`);
  let errors = 0;
  const logger = pino({ level: 'error' }, { write: () => (errors += 1) });
  const { url } = await startStore({ blocklistFile, logger });
  const statusOf = async (id: string) => (await fetch(`${url}/v1/blobs/${id}`)).status;
  expect(await statusOf(first)).toBe(451);

  await writeFile(join(directory, 'next.yaml'), `['${second}']`);
  await rename(join(directory, 'next.yaml'), blocklistFile);
  await expect.poll(() => statusOf(second), patient).toBe(451);
  expect(await statusOf(first)).toBe(404);

  // An empty file is probably being written.
  await writeFile(blocklistFile, '');
  await expect.poll(() => errors, patient).toBe(1);
  expect(await statusOf(second)).toBe(451);
  await rm(blocklistFile);
  await expect.poll(() => errors, patient).toBe(2);
  expect(await statusOf(second)).toBe(451);

  await writeFile(blocklistFile, '[]');
  await expect.poll(() => statusOf(second), patient).toBe(404);
});

test('a start with a missing or broken blocklist is rejected', async () => {
  const directory = await temporaryDirectory();
  const blocklistFile = join(directory, 'blocked.yaml');
  await expect(startStore({ blocklistFile })).rejects.toThrow('ENOENT');
  await writeFile(blocklistFile, 'blobs: none');
  await expect(startStore({ blocklistFile })).rejects.toThrow(blocklistFile);
});

test.each([
  [`- ${'A'.repeat(43)}`, 1],
  [`---\n# a\n\n  - "${'A'.repeat(43)}" # why\r\n  - '${'B'.repeat(42)}A'\n...\n`, 2],
  [`- -${'B'.repeat(41)}A`, 1],
  [`[${'A'.repeat(43)},\n ${'B'.repeat(42)}A]`, 2],
  ['[]', 0],
  ['[ ]\n', 0],
])('the list %j has %i blobs', (text, count) => {
  expect(parseBlocklist(text).size).toBe(count);
});

test.each([
  '',
  '\n# nothing yet\n',
  '- ',
  '-',
  '- short',
  `a: ${'A'.repeat(43)}`,
  'A'.repeat(43),
  '{}',
  '[',
  '- []',
])('the text %j is not a list of blobs', (text) => {
  expect(() => parseBlocklist(text)).toThrow();
});

test('a blob is unavailable, not missing, while it is being stored', async () => {
  const { url, admin } = await startStore();
  const blobId = await blobIdOf(url, 'comes again', '?epochs=1');
  await admin.advanceEpoch();
  const read = () => fetch(`${url}/v1/blobs/${blobId}`);
  expect(await refusal(await read())).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });

  admin.faults.add({ operation: 'store', fault: 'SLOW', delayMs: 600_000 });
  const storing = putNew(url, 'comes again');
  await expect.poll(async () => (await read()).status, patient).toBe(503);
  expect(await refusal(await read())).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
  admin.faults.clear();
  await storing;
  expect((await read()).status).toBe(200);
});

test('requested faults apply to every read', async () => {
  const { url, admin } = await startStore();
  const { blobObject } = await putNew(url, 'in trouble');
  admin.faults.add({ operation: 'read', fault: 'BLOB_UNAVAILABLE', blobId: blobObject.blobId });
  for (const read of readsOf(url, blobObject.blobId, blobObject.id)) {
    expect(await refusal(await fetch(...read))).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
  }
  admin.faults.clear();
  for (const read of readsOf(url, blobObject.blobId, blobObject.id))
    expect((await fetch(...read)).ok).toBe(true);
});
