import { randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnMain, urlOf } from './main-process.ts';
import { patient, put, temporaryDirectory } from './running-store.ts';

const rounds = 5;
const writers = 6;

/** Stores random blobs one after the other until the process dies; notes each one that was acknowledged. */
async function writeUntilDead(url: string, acknowledged: Map<string, Buffer>): Promise<void> {
  for (;;) {
    const body = randomBytes(randomInt(1, 200_000));
    try {
      const { newlyCreated } = await put(url, body, '?epochs=10');
      if (newlyCreated !== undefined) acknowledged.set(newlyCreated.blobObject.blobId, body);
    } catch {
      return;
    }
  }
}

test('kill -9 in the middle of stores loses nothing acknowledged and leaves nothing half', async () => {
  const dataDir = await temporaryDirectory();
  const args = ['--port', '0', '--shards', '31', '--data-dir', dataDir];
  const acknowledged = new Map<string, Buffer>();
  for (let round = 1; round <= rounds; round += 1) {
    const main = spawnMain(args);
    const url = await urlOf(main);
    const before = acknowledged.size;
    const writing = Array.from({ length: writers }, () => writeUntilDead(url, acknowledged));
    await expect
      .poll(() => acknowledged.size - before, { ...patient, interval: 5 })
      .toBeGreaterThan(randomInt(5, 40));
    main.child.kill('SIGKILL');
    await main.ended;
    await Promise.all(writing);
  }

  const url = await urlOf(spawnMain(args));
  for (const [blobId, body] of acknowledged) {
    const response = await fetch(`${url}/v1/blobs/${blobId}?strict_consistency_check=true`);
    expect(response.status).toBe(200);
    expect(body.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  }
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
  // What else is stored was cut off between its bytes and its answer: whole, or about to be swept.
  for (const name of await readdir(join(dataDir, 'objects'), { recursive: true })) {
    const blobId = name.split('.')[1];
    if (blobId === undefined || acknowledged.has(blobId)) continue;
    expect([200, 404]).toContain((await fetch(`${url}/v1/blobs/${blobId}`)).status);
  }
});
