import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';
import type { S3Options } from '../src/storage/s3/s3-options.ts';
import { runKillRounds } from './kill-rounds.ts';
import {
  blobIdOf,
  put,
  putNew,
  refusal,
  type StoreAnswer,
  startStore,
  temporaryDirectory,
} from './running-store.ts';
import { credentials } from './s3-process.ts';
import { startProxy, type Verdict } from './s3-proxy.ts';
import { bucketAt, keysOf, sharedS3 } from './s3-server.ts';

const s3 = sharedS3();
/** Starting processes takes long on a busy machine. */
const patientMs = 180_000;
const epochDurationMs = 86_400_000;

function start(place: S3Options, options: Partial<BlobStoreOptions> = {}): Promise<BlobStore> {
  return startStore({ s3: place, ...options });
}

async function read(store: BlobStore, blobId: string, query = ''): Promise<Response> {
  return fetch(`${store.url}/v1/blobs/${blobId}${query}`);
}

test('two instances act as one store', async () => {
  const place = s3().place();
  const [a, b] = await Promise.all([start(place), start(place)]);
  const body = randomBytes(700_000);
  const { blobObject } = await putNew(a.url, body, '?permanent=true&epochs=3');
  const { blobId } = blobObject;
  for (const query of ['', '?strict_consistency_check=true', '?skip_consistency_check=true']) {
    const whole = await read(b, blobId, query);
    expect(whole.status).toBe(200);
    expect(body.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
  }
  const range = { headers: { range: 'bytes=300000-400000' } };
  const part = await fetch(`${b.url}/v1/blobs/${blobId}`, range);
  expect(part.status).toBe(206);
  expect(body.subarray(300_000, 400_001).equals(Buffer.from(await part.arrayBuffer()))).toBe(true);
  expect(await put(b.url, body, '?permanent=true&epochs=2')).toHaveProperty(
    'alreadyCertified.blobId',
    blobId,
  );
  expect(await b.admin.listBlobs()).toEqual(await a.admin.listBlobs());
});

test('a deletion through one instance applies to the other', async () => {
  const place = s3().place();
  const [a, b] = await Promise.all([start(place), start(place)]);
  const { blobObject } = await putNew(a.url, 'soon gone');
  expect((await read(b, blobObject.blobId)).status).toBe(200);
  await b.admin.deleteBlob(blobObject.blobId);
  expect(await refusal(await read(a, blobObject.blobId))).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
});

test('keeps everything across a restart with another data directory', async () => {
  const place = s3().place();
  const first = await start(place);
  const blobId = await blobIdOf(first.url, 'kept');
  await first.close();
  expect(await (await read(await start(place), blobId)).text()).toBe('kept');
});

test('loses nothing when one instance sweeps while another stores', async () => {
  const place = s3().place();
  let time = 1_700_000_000_000;
  // A short grace period of two seconds, so that sweeps find many copies that are being stored again.
  const options = { epochDurationMs, now: () => time, graceMs: 2000 };
  const [storing, sweeping] = await Promise.all([start(place, options), start(place, options)]);
  const bodies = Array.from({ length: 6 }, () => randomBytes(200));
  const ends = Date.now() + 8000;
  let swept = 0;
  let stopped = false;
  const sweeps = (async () => {
    while (!stopped) swept += await sweeping.admin.sweep();
  })();
  let kept = 0;
  try {
    while (Date.now() < ends || kept === 0 || swept === 0) {
      const body = bodies[randomInt(bodies.length)]!;
      const stored = await fetch(`${storing.url}/v1/blobs`, { method: 'PUT', body });
      // A store that took longer than the grace period must report an error.
      if (stored.status === 503) continue;
      const { newlyCreated } = (await stored.json()) as StoreAnswer;
      const answer = await read(sweeping, newlyCreated!.blobObject.blobId);
      expect(answer.status).toBe(200);
      expect(body.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
      kept += 1;
      // All objects expire, and the next store may find content without a live object.
      time += epochDurationMs;
    }
  } finally {
    stopped = true;
    await sweeps;
  }
});

test(
  'kill -9 of an instance loses nothing acknowledged',
  async () => {
    const { bucket, endpoint, prefix } = s3().place();
    const args = [
      '--s3-bucket',
      bucket,
      '--s3-endpoint',
      endpoint!,
      '--s3-prefix',
      prefix!,
      '--s3-force-path-style',
    ];
    const dataDir = await temporaryDirectory();
    const result = await runKillRounds({ rounds: 3, dataDir, more: { args, env: credentials } });
    expect(result).toMatchObject({ lost: [], wrong: [], leftOver: [] });
    expect(result.acknowledged).toBeGreaterThanOrEqual(3);
  },
  patientMs,
);

test('responds 503 while the bucket is unavailable, and has lost nothing afterwards', async () => {
  let verdict: Verdict = 'pass';
  const proxy = await startProxy(s3().endpoint, () => verdict);
  const store = await start({ ...s3().place(proxy), timeoutMs: 1500 });
  const blobId = await blobIdOf(store.url, 'patience');
  for (verdict of [500, 403, 'silence'] as const) {
    expect(await refusal(await read(store, blobId))).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    const unknown = await read(store, randomBytes(32).toString('base64url'));
    expect(await refusal(unknown)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    const stored = await fetch(`${store.url}/v1/blobs`, { method: 'PUT', body: 'not now' });
    expect(stored.status).toBe(503);
  }
  verdict = 'pass';
  expect(await (await read(store, blobId)).text()).toBe('patience');
});

describe('settings stored in the bucket', () => {
  test('are used by another instance', async () => {
    const place = s3().place();
    const first = await start(place, { nShards: 10, epochDurationMs });
    const blobId = await blobIdOf(first.url, 'ten shards');
    const second = await startStore({ s3: place, nShards: 10 });
    expect((await read(second, blobId, '?strict_consistency_check=true')).status).toBe(200);
    expect(await second.admin.currentEpoch()).toBe(await first.admin.currentEpoch());
  });

  test('must match the configured shards and epochs', async () => {
    const place = s3().place();
    await start(place, { nShards: 31, epochDurationMs });
    await expect(start(place, { nShards: 10 })).rejects.toThrow(/holds blobs for 31 shards/);
    await expect(start(place, { epochDurationMs: 1000 })).rejects.toThrow(/BLOBSTORE_EPOCH_DURATION/);
    await expect(start(place, { epochDurationMs: null })).rejects.toThrow(/not for .* epochs by hand/);
  });

  test('are written by only one of two instances with different settings', async () => {
    const place = s3().place();
    const started = await Promise.allSettled([start(place, { nShards: 31 }), start(place, { nShards: 10 })]);
    expect(started.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
    expect((await keysOf(bucketAt(place), 'store/')).length).toBeLessThan(2);
  });

  test('a directory with blobs is not used for a bucket, nor vice versa', async () => {
    const place = s3().place();
    const dataDir = await temporaryDirectory();
    await (await startStore({ dataDir })).close();
    await expect(start(place, { dataDir })).rejects.toThrow(/belongs to blobs of its own/);
    const staging = await temporaryDirectory();
    await (await start(place, { dataDir: staging })).close();
    await expect(startStore({ dataDir: staging })).rejects.toThrow(/belongs to blobs in s3:\/\/blobs\/test/);
  });

  test('a missing bucket is reported at the start', async () => {
    await expect(start({ ...s3().place(), bucket: 'no-such-bucket' })).rejects.toThrow(
      /s3:\/\/no-such-bucket/,
    );
  });
});
