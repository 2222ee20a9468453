import { expect, test } from 'vitest';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { patient, put, temporaryDirectory } from './running-store.ts';

test('kill -9 between registration and certificate leaves a registration that the next store resumes', async () => {
  const args = ['--port', '0', '--shards', '31', '--data-dir', await temporaryDirectory()];
  const token = 'a-token-for-this-test';
  const headers = { authorization: `Bearer ${token}` };
  const first = spawnMain(args, { BLOBSTORE_ADMIN_TOKEN: token });
  const url = await urlOf(first);
  const fault = JSON.stringify({ operation: 'store', fault: 'SLOW', delayMs: 600_000 });
  await fetch(`${url}/admin/faults`, { method: 'POST', headers, body: fault });
  const storing = put(url, 'cut off', '?epochs=3').catch((error: unknown) => error);
  const registered = async () => {
    const answer = await fetch(`${url}/admin/blobs`, { headers });
    const { blobs } = (await answer.json()) as { blobs: { blobId: string }[] };
    return blobs[0]?.blobId;
  };
  await expect.poll(registered, patient).toBeDefined();
  const blobId = await registered();
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(503);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(await storing).toBeInstanceOf(Error);

  const again = await urlOf(spawnMain(args));
  expect((await fetch(`${again}/v1/blobs/${blobId}`)).status).toBe(503);
  const { newlyCreated } = await put(again, 'cut off', '?epochs=3&reuse_resources=true');
  expect(newlyCreated).toMatchObject({
    resourceOperation: { reuseRegistration: { encodedLength: 64_480 } },
    cost: 0,
  });
  expect(await (await fetch(`${again}/v1/blobs/${blobId}`)).text()).toBe('cut off');
});
