import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startLocalnet } from './localnet-process.ts';
import { patient, putNew, startStore, temporaryDirectory } from './running-store.ts';
import { bucketAt, keysOf, sharedS3 } from './s3-server.ts';
import { fileOf } from './stored-files.ts';

/** A registry on a chain or in a bucket may also be set back to an older state. */
const s3 = sharedS3();

test('keeps bytes of a blob that the chain does not know in quarantine, until it knows it again', async () => {
  const localnet = await startLocalnet();
  try {
    const chain = await localnet.chainOptions();
    const elsewhere = await temporaryDirectory();
    const other = await startStore({ dataDir: elsewhere });
    const { blobObject } = await putNew(other.url, 'of a chain that was set back');
    const { blobId } = blobObject;
    await other.close();

    const dataDir = await temporaryDirectory();
    await (await startStore({ dataDir, chain })).close();
    await cp(join(elsewhere, 'objects'), join(dataDir, 'objects'), { recursive: true });
    const options = { dataDir, chain, quarantineMs: 1000 };
    let time = Date.now();
    const first = await startStore({ ...options, now: () => time });
    expect((await fetch(`${first.url}/v1/blobs/${blobId}`)).status).toBe(404);
    expect(await first.admin.sweep()).toBe(0);
    expect(await readFile(await fileOf(dataDir, blobId), 'utf8')).toBe('of a chain that was set back');
    const quarantined = async () =>
      Object.keys(JSON.parse(await readFile(join(dataDir, 'quarantine.json'), 'utf8')) as object);
    expect(await quarantined()).toEqual([blobId]);

    const { blobObject: again } = await putNew(first.url, 'of a chain that was set back', '?epochs=5');
    expect(await first.admin.sweep()).toBe(0);
    expect(await quarantined()).toEqual([]);
    time += 10_000;
    expect(await first.admin.sweep()).toBe(0);
    expect((await fetch(`${first.url}/v1/blobs/${again.blobId}`)).status).toBe(200);
  } finally {
    await localnet.stop();
  }
});

test('keeps content in a bucket with lost records for the quarantine period, whichever instance sweeps', async () => {
  const place = s3().place();
  const quarantineMs = 3_600_000;
  let time = Date.now();
  const options = { s3: place, graceMs: 1, quarantineMs, now: () => time };
  // With the default grace period, so that the store can finish
  const storing = await startStore({ s3: place });
  const { blobObject } = await putNew(storing.url, 'records lost', '?epochs=5');
  await storing.close();
  const { blobId } = blobObject;
  const bucket = bucketAt(place);
  const lost = (await keysOf(bucket, 'objects/')).filter((key) => key.includes(blobId));
  expect(lost).not.toEqual([]);
  await bucket.remove(lost);
  const first = await startStore(options);
  const content = () => keysOf(bucket, `content/${blobId}/`);
  // A bucket stores times in whole seconds
  await expect
    .poll(async () => (await first.admin.sweep()) + (await keysOf(bucket, 'quarantine/')).length, patient)
    .toBe(1);
  const second = await startStore(options);
  expect(await second.admin.sweep()).toBe(0);
  expect(await content()).toHaveLength(1);
  expect(await keysOf(bucket, 'quarantine/')).toEqual([`quarantine/${blobId}`]);
  time += quarantineMs + 60_000;
  expect(await second.admin.sweep()).toBe(1);
  expect(await content()).toEqual([]);
  expect(await keysOf(bucket, 'quarantine/')).toEqual([]);
});
