import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putQuilt, quiltIdOf } from './quilt-client.ts';
import { startStore, temporaryDirectory } from './running-store.ts';
import { sharedS3 } from './s3-server.ts';

const s3 = sharedS3();

test.each([
  ['small', 5000],
  ['large', 300_000],
])('reads the patches of a %s quilt from a bucket, and keeps no local copy', async (_name, fileBytes) => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir, s3: s3().place() });
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`n${n}`, randomBytes(fileBytes)]));
  const answer = await putQuilt(url, files);
  for (const { identifier, quiltPatchId } of answer.storedQuiltBlobs) {
    for (const path of [
      `by-quilt-patch-id/${quiltPatchId}`,
      `by-quilt-id/${quiltIdOf(answer)}/${identifier}`,
    ]) {
      const response = await fetch(`${url}/v1/blobs/${path}`);
      expect(files[identifier]?.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
    }
  }
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
});
