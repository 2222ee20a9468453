import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { rawRead } from './raw-read.ts';
import { blobIdOf, refusal, startStore } from './running-store.ts';
import { bucketAt, keysOf, sharedS3 } from './s3-server.ts';

const s3 = sharedS3();

test('a byte changed in the bucket is not sent, but earlier blocks and other ranges are', async () => {
  const place = s3().place();
  const content = randomBytes(8 * blockBytes);
  const { url } = await startStore({ s3: place });
  const target = `${url}/v1/blobs/${await blobIdOf(url, content)}`;
  const bucket = bucketAt(place);
  const [key] = await keysOf(bucket, 'content/');
  const damaged = Buffer.from(content);
  damaged.writeUInt8(damaged.readUInt8(6 * blockBytes) ^ 1, 6 * blockBytes);
  await bucket.put(key ?? '', damaged);

  const whole = await rawRead(target);
  expect(whole).toMatchObject({ status: 200, complete: false });
  expect(whole.bytes.length).toBeLessThanOrEqual(6 * blockBytes);
  expect(content.subarray(0, whole.bytes.length).equals(whole.bytes)).toBe(true);
  for (const [first, last] of [
    [5, 6 * blockBytes - 1],
    [7 * blockBytes, 8 * blockBytes - 1],
  ] as const) {
    const part = await rawRead(target, { headers: { range: `bytes=${first}-${last}` } });
    expect(part).toMatchObject({ status: 206, complete: true });
    expect(content.subarray(first, last + 1).equals(part.bytes)).toBe(true);
  }
  for (const [path, range] of [
    ['', `bytes=${6 * blockBytes + 9}-${6 * blockBytes + 9}`],
    ['?strict_consistency_check=true', 'bytes=0-0'],
  ] as const) {
    const response = await fetch(target + path, { headers: { range } });
    expect(await refusal(response)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
  }
  const skipped = await rawRead(`${target}?skip_consistency_check=true`);
  expect(skipped.bytes.equals(damaged)).toBe(true);
});
